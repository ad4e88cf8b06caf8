import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Engine } from '@baton/engine';
import { OPERATOR_TENANT } from '../auth/keyring.ts';
import { readDefinition, registerWorkflow } from './register.ts';

/** A definition, and its source for error messages. */
export interface NamedDefinition {
  readonly source: string;
  readonly definition: unknown;
}

/** Every `*.json` in the folder, in the order of the names. */
export function readWorkflowsFolder(folder: string): readonly NamedDefinition[] {
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort();
  return files.map((name) => {
    const source = join(folder, name);
    try {
      return { source, definition: JSON.parse(readFileSync(source, 'utf8')) };
    } catch (error) {
      throw new Error(`${source} is not valid JSON: ${error instanceof Error ? error.message : error}`);
    }
  });
}

/**
 * Registers definitions for all tenants. An invalid definition makes the start fail, because the others may
 * need it.
 */
export async function registerAtStart(
  engine: Engine,
  definitions: readonly NamedDefinition[],
): Promise<void> {
  const registration = { caller: { tenant: OPERATOR_TENANT, principal: 'operator' }, shared: true };
  await Promise.all(
    definitions.map(async ({ source, definition }) => {
      const reply = await registerWorkflow(engine, readDefinition(definition, source), registration);
      if (!reply.ok) throw new Error(`${source}: ${reply.error.message}`);
    }),
  );
}
