import { existsSync } from 'node:fs';
import { readAgentsFolder } from '@baton/agents';
import { readWorkflowsFolder } from '@baton/server/workflows-folder';

/** The ids of the workflows in a folder, for the banner. */
export function workflowIds(folder: string | undefined): readonly string[] {
  if (folder === undefined) return [];
  return readWorkflowsFolder(folder)
    .flatMap(({ definition }) => idIn(definition))
    .sort();
}

/** The ids of the agents in a folder, for the banner. */
export function agentIds(folder: string | undefined): readonly string[] {
  if (folder === undefined) return [];
  return readAgentsFolder(folder)
    .map(({ agent }) => agent.agentId)
    .sort();
}

export function requireFolder(folder: string | undefined, setting: string, contents: string): void {
  if (folder === undefined || existsSync(folder)) return;
  throw new Error(`There is no folder ${folder}; set ${setting} to one that holds ${contents}.`);
}

function idIn(definition: unknown): readonly string[] {
  const named = typeof definition === 'object' && definition !== null && 'id' in definition;
  return named && typeof definition.id === 'string' ? [definition.id] : [];
}
