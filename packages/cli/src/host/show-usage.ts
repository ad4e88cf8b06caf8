import type { UsageHistory } from '@baton/client';
import { columns } from '../columns.ts';
import { wrongUsage } from '../output/command-failure.ts';
import { EXIT, type ExitCode } from '../output/exit-codes.ts';
import { printable } from '../output/printable.ts';
import type { Session } from '../session.ts';

/** What the tenant used on each of the last days, or what each of its agents used in these days. */

type UsageDay = UsageHistory['days'][number];
type Used = Omit<UsageDay, 'day'>;

const COUNTS = ['INPUT TOKENS', 'OUTPUT TOKENS', 'TOOL CALLS', 'COST (USD)'];

export async function showUsage({ baton, out, flags }: Session): Promise<ExitCode> {
  const days = daysIn(flags.days);
  const byAgent = flags.agents === true;
  const history = await baton.usageHistory({
    ...(days !== undefined && { days }),
    ...(byAgent && { by: 'agent' as const }),
  });
  out.give(history, byAgent ? agentTable(history) : dayTable(history));
  return EXIT.done;
}

function daysIn(given: unknown): number | undefined {
  if (typeof given !== 'string') return undefined;
  if (/^[1-9]\d{0,2}$/.test(given) && Number(given) <= 366) return Number(given);
  throw wrongUsage(`"${given}" is not a number of days.`, '--days takes a whole number from 1 to 366.');
}

function dayTable({ days }: UsageHistory): string {
  return columns([
    ['DAY (UTC)', ...COUNTS],
    ...days.filter(isUsed).map((day) => [day.day, ...cells(day)]),
    ['total', ...cells(totalOf(days))],
  ]);
}

/** Days without any use would hide the others. */
function isUsed({ inputTokens, outputTokens, toolCalls }: Used): boolean {
  return inputTokens + outputTokens + toolCalls > 0;
}

function agentTable({ agents = [], days }: UsageHistory): string {
  return columns([
    ['AGENT', ...COUNTS],
    ...agents.map((agent) => [printable(agent.agentId), ...cells(totalOf(agent.days))]),
    ['total of the tenant', ...cells(totalOf(days))],
  ]);
}

/** The cost is unknown when no price of a call is known. */
function totalOf(days: readonly UsageDay[]): Used {
  const sum = (of: (day: UsageDay) => number) => days.reduce((total, day) => total + of(day), 0);
  const isPriced = days.some(({ costUsd }) => costUsd !== undefined);
  return {
    inputTokens: sum(({ inputTokens }) => inputTokens),
    outputTokens: sum(({ outputTokens }) => outputTokens),
    toolCalls: sum(({ toolCalls }) => toolCalls),
    ...(isPriced && { costUsd: sum(({ costUsd = 0 }) => costUsd) }),
  };
}

function cells({ inputTokens, outputTokens, toolCalls, costUsd }: Used): readonly string[] {
  const counts = [inputTokens, outputTokens, toolCalls].map(String);
  return [...counts, costUsd === undefined ? '-' : costUsd.toFixed(4)];
}
