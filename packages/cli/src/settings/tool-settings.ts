import type { ToolsConfig } from '@baton/agents';
import { readTools } from '@baton/agents/tools-file';
import { type GivenFile, textOfFile } from './setting-file.ts';

/** The file may name any variable as the place of a value, so it is read together with the environment. */
export function readToolSettings(
  given: GivenFile | undefined,
  env: Readonly<Record<string, string | undefined>>,
  problems: string[],
): ToolsConfig | undefined {
  const text = given && textOfFile(given, problems);
  if (given === undefined || text === undefined) return undefined;
  const reading = readTools({ name: given.text, text }, env);
  if ('config' in reading) return reading.config;
  problems.push(reading.problem);
  return undefined;
}
