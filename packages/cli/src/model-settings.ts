import type { ModelsConfig } from '@baton/agents';
import { readModels } from '@baton/agents/models-file';
import { type GivenFile, textOfFile } from './settings/setting-file.ts';

/** The file may name any variable as the place of a key, so it is read together with the environment. */
export function readModelSettings(
  given: GivenFile | undefined,
  env: Readonly<Record<string, string | undefined>>,
  problems: string[],
): ModelsConfig | undefined {
  const text = given && textOfFile(given, problems);
  if (given && text === undefined) return undefined;
  const file = given && text !== undefined ? { name: given.text, text } : undefined;
  const reading = readModels({ file, variable: (name) => env[name] });
  if ('config' in reading) return reading.config;
  problems.push(...reading.problems);
  return undefined;
}
