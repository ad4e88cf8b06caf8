import { readFileSync } from 'node:fs';
import type { ModelsConfig, TenantBudgets, ToolsConfig } from '@baton/agents';
import { readBudgets } from '@baton/agents/budgets-file';
import { readModels } from '@baton/agents/models-file';
import { readTools } from '@baton/agents/tools-file';

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

export function readBudgetSettings(
  given: GivenFile | undefined,
  problems: string[],
): TenantBudgets | undefined {
  const text = given && textOfFile(given, problems);
  if (given === undefined || text === undefined) return undefined;
  const reading = readBudgets({ name: given.text, text });
  if ('config' in reading) return reading.config;
  problems.push(reading.problem);
  return undefined;
}

/** The name of a file, and the variable or flag that it came from. */
interface GivenFile {
  readonly text: string;
  readonly as: string;
}

/** The text of the file. If it cannot be read, this is added to the problems. */
function textOfFile({ text: name, as }: GivenFile, problems: string[]): string | undefined {
  try {
    return readFileSync(name, 'utf8');
  } catch {
    problems.push(`${as} is "${name}", which cannot be read; write the name of a JSON file`);
    return undefined;
  }
}

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
