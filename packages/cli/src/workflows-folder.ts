import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The ids of the workflows in a folder, for the banner. The host itself reads the files more strictly. */
export function workflowIds(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) => idIn(readFileSync(join(folder, name), 'utf8')))
    .sort();
}

export function requireFolder(folder: string): void {
  if (existsSync(folder)) return;
  throw new Error(`There is no folder ${folder}; set BATON_WORKFLOWS to one that holds workflow JSON files.`);
}

function idIn(text: string): readonly string[] {
  const definition: unknown = JSON.parse(text);
  const named = typeof definition === 'object' && definition !== null && 'id' in definition;
  return named && typeof definition.id === 'string' ? [definition.id] : [];
}
