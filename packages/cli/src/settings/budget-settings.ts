import type { TenantBudgets } from '@baton/agents';
import { readBudgets } from '@baton/agents/budgets-file';
import { type GivenFile, textOfFile } from './setting-file.ts';

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
