import { readAgentsFolder } from '@baton/agents';
import type { Engine } from '@baton/engine';
import { OPERATOR_TENANT } from '../auth/keyring.ts';

/** Registers the agents of a folder for all tenants. An agent that cannot be used makes the start fail. */
export async function registerAgentsAtStart(
  engine: Engine,
  folder: string | undefined,
  onlyNew: boolean,
): Promise<void> {
  if (folder === undefined) return;
  const caller = { tenant: OPERATOR_TENANT, principal: 'operator' };
  for (const { source, agent } of readAgentsFolder(folder)) {
    const reply = await engine.execute({ kind: 'register-agent', caller, agent, shared: true, onlyNew });
    if (!reply.ok) throw new Error(`${source}: ${reply.error.message}`);
  }
}
