import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Engine } from '@baton/engine';
import { isJsonObject } from '@baton/protocol';
import { OPERATOR_TENANT } from '../auth/keyring.ts';
import { readDefinition, registerWorkflow } from './register.ts';

/** A definition, and its source for error messages. */
export interface NamedDefinition {
  readonly source: string;
  readonly definition: unknown;
}

/**
 * The workflows in a folder, in the order of their paths: every `*.json` of the folder itself, and `workflow.json`
 * and `*.workflow.json` of its subfolders. The folder may also hold agents, so that an example or a pack is one
 * folder: a file with an `agentId` is the manifest of an agent.
 */
export function readWorkflowsFolder(folder: string): readonly NamedDefinition[] {
  const entries = readdirSync(folder).sort();
  return entries.flatMap((name) => {
    const path = join(folder, name);
    if (!statSync(path).isDirectory()) return name.endsWith('.json') ? definitionsAt(path) : [];
    const inside = readdirSync(path).filter(isWorkflowFile).sort();
    return inside.flatMap((file) => definitionsAt(join(path, file)));
  });
}

function isWorkflowFile(name: string): boolean {
  return name === 'workflow.json' || name.endsWith('.workflow.json');
}

function definitionsAt(source: string): readonly NamedDefinition[] {
  const definition = readJson(source);
  return isJsonObject(definition) && 'agentId' in definition ? [] : [{ source, definition }];
}

function readJson(source: string): unknown {
  try {
    return JSON.parse(readFileSync(source, 'utf8'));
  } catch (error) {
    throw new Error(`${source} is not valid JSON: ${error instanceof Error ? error.message : error}`);
  }
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
