import { readFileSync } from 'node:fs';
import type { ModelsConfig } from '@baton/agents';
import { readModels } from '@baton/agents/models-file';

/** The name of the file, and the variable or flag that it came from. */
interface Given {
  readonly text: string;
  readonly as: string;
}

/** The file may name any variable as the place of a key, so it is read together with the environment. */
export function readModelSettings(
  given: Given | undefined,
  env: Readonly<Record<string, string | undefined>>,
  problems: string[],
): ModelsConfig | undefined {
  const text = given && textOf(given.text);
  if (given && text === undefined) {
    problems.push(`${given.as} is "${given.text}", which cannot be read; write the name of a JSON file`);
    return undefined;
  }
  const file = given && text !== undefined ? { name: given.text, text } : undefined;
  const reading = readModels({ file, variable: (name) => env[name] });
  if ('config' in reading) return reading.config;
  problems.push(...reading.problems);
  return undefined;
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
