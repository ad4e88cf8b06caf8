import { readFileSync } from 'node:fs';
import type { ToolsConfig } from '@baton/agents';
import { readTools } from '@baton/agents/tools-file';

/** The name of the file, and the variable or flag that it came from. */
interface Given {
  readonly text: string;
  readonly as: string;
}

/** The file may name any variable as the place of a value, so it is read together with the environment. */
export function readToolSettings(
  given: Given | undefined,
  env: Readonly<Record<string, string | undefined>>,
  problems: string[],
): ToolsConfig | undefined {
  if (given === undefined) return undefined;
  const text = textOf(given.text);
  if (text === undefined) {
    problems.push(`${given.as} is "${given.text}", which cannot be read; write the name of a JSON file`);
    return undefined;
  }
  const reading = readTools({ name: given.text, text }, env);
  if ('config' in reading) return reading.config;
  problems.push(reading.problem);
  return undefined;
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
