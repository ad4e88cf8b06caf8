import { readAgentsFolder } from '@baton/agents';
import type { Engine } from '@baton/engine';
import { OPERATOR_TENANT } from '../auth/keyring.ts';
import type { HostSettings } from '../settings.ts';
import { type NamedDefinition, readWorkflowsFolder } from '../workflows/read-folder.ts';
import { registerAtStart } from '../workflows/register.ts';

/**
 * Registers the workflows and agents that the settings name. Where other hosts are at work (`isShared`), a definition
 * that was ever registered is left out: while hosts are replaced one after the other, a host with the former files that
 * starts again must not put them in the place of the new ones.
 */
export async function registerSettled(
  engine: Engine,
  settings: HostSettings,
  isShared: boolean,
): Promise<void> {
  await registerAtStart(engine, definitionsIn(settings), isShared);
  await registerAgentsAtStart(engine, settings.agentsFolder, isShared);
}

function definitionsIn({ builtinWorkflows = [], workflowsFolder }: HostSettings): readonly NamedDefinition[] {
  const builtin = builtinWorkflows.map((definition) => ({ source: 'built-in workflow', definition }));
  return workflowsFolder === undefined ? builtin : [...builtin, ...readWorkflowsFolder(workflowsFolder)];
}

/** Registers the agents of a folder for all tenants. An agent that cannot be used makes the start fail. */
async function registerAgentsAtStart(
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
