import { EXIT, type ExitCode } from '../output/exit-codes.ts';
import type { Output } from '../output/output.ts';
import type { Flags } from '../settings/given.ts';
import { allChecks } from './checks.ts';
import { gatherFacts } from './gather-facts.ts';
import { reportText } from './report.ts';

export async function runDoctor(flags: Flags, out: Output): Promise<ExitCode> {
  const checks = allChecks(await gatherFacts(flags));
  const isWell = checks.every(({ state }) => state !== 'problem');
  if (out.form === 'json') {
    for (const check of checks) out.give(check, '');
    out.give({ ok: isWell }, '');
  } else out.give(checks, reportText(checks, out));
  return isWell ? EXIT.done : EXIT.failed;
}
