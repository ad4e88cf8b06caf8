import type { Engine } from '@baton/engine';
import { registerAgentsAtStart } from '../agents/at-start.ts';
import type { HostSettings } from '../settings.ts';
import { registerAtStart } from '../workflows/at-start.ts';
import { type NamedDefinition, readWorkflowsFolder } from '../workflows/read-folder.ts';

/** Registers the workflows and agents that the settings name. */
export async function registerSettled(engine: Engine, settings: HostSettings): Promise<void> {
  await registerAtStart(engine, definitionsIn(settings));
  await registerAgentsAtStart(engine, settings.agentsFolder);
}

function definitionsIn({ builtinWorkflows = [], workflowsFolder }: HostSettings): readonly NamedDefinition[] {
  const builtin = builtinWorkflows.map((definition) => ({ source: 'built-in workflow', definition }));
  return workflowsFolder === undefined ? builtin : [...builtin, ...readWorkflowsFolder(workflowsFolder)];
}
