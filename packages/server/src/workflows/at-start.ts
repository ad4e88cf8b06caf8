import type { Engine } from '@baton/engine';
import { OPERATOR_TENANT } from '../auth/keyring.ts';
import type { NamedDefinition } from './read-folder.ts';
import { readDefinition, registerWorkflow } from './register.ts';

/**
 * Registers definitions for all tenants. An invalid definition makes the start fail, because the others may
 * need it.
 */
export async function registerAtStart(
  engine: Engine,
  definitions: readonly NamedDefinition[],
  onlyNew: boolean,
): Promise<void> {
  const registration = { caller: { tenant: OPERATOR_TENANT, principal: 'operator' }, shared: true, onlyNew };
  await Promise.all(
    definitions.map(async ({ source, definition }) => {
      const reply = await registerWorkflow(engine, readDefinition(definition, source), registration);
      if (!reply.ok) throw new Error(`${source}: ${reply.error.message}`);
    }),
  );
}
