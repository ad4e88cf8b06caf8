import { EXIT, type ExitCode } from '../output/exit-codes.ts';
import type { Output } from '../output/output.ts';
import { printable } from '../output/printable.ts';
import type { Flags } from '../settings/given.ts';
import { allChecks } from './checks.ts';
import type { Check } from './facts.ts';
import { gatherFacts } from './gather-facts.ts';

export async function runDoctor(flags: Flags, out: Output): Promise<ExitCode> {
  const checks = allChecks(await gatherFacts(flags));
  const isWell = checks.every(({ state }) => state !== 'problem');
  if (out.form === 'json') {
    for (const check of checks) out.give(check, '');
    out.give({ ok: isWell }, '');
  } else out.give(checks, reportText(checks, out));
  return isWell ? EXIT.done : EXIT.failed;
}

/** The checks as lines, and what to fix below each. */
export function reportText(checks: readonly Check[], { paint }: Pick<Output, 'paint'>): string {
  const signs = { ok: paint.green('✓'), warning: paint.yellow('!'), problem: paint.red('✗') };
  const width = Math.max(...checks.map(({ name }) => name.length)) + 2;
  const lines = checks.flatMap(({ name, state, text, fix }) => [
    `${signs[state]} ${name.padEnd(width)}${printable(text)}`,
    ...(fix === undefined ? [] : [`  ${' '.repeat(width)}→ ${fix}`]),
  ]);
  return [...lines, '', summary(checks)].join('\n');
}

function summary(checks: readonly Check[]): string {
  const count = (state: Check['state']) => checks.filter((check) => check.state === state).length;
  const [problems, warnings] = [count('problem'), count('warning')];
  if (problems === 0 && warnings === 0) return 'All is well.';
  const told = [
    ...(problems > 0 ? [problems === 1 ? '1 problem' : `${problems} problems`] : []),
    ...(warnings > 0 ? [warnings === 1 ? '1 warning' : `${warnings} warnings`] : []),
  ];
  return `${told.join(' and ')}; follow the arrows.`;
}
