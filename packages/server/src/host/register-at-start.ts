import type { Engine } from '@baton/engine';
import { registerAgentsAtStart } from '../agents/at-start.ts';
import type { HostSettings } from '../settings.ts';
import { registerAtStart } from '../workflows/at-start.ts';
import { type NamedDefinition, readWorkflowsFolder } from '../workflows/read-folder.ts';

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
