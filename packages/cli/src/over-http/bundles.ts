import { existsSync, readFileSync } from 'node:fs';
import { notFound } from '../output/command-failure.ts';
import { EXIT, type ExitCode } from '../output/exit-codes.ts';
import type { Output } from '../output/output.ts';
import { withKnownRun } from '../runs/known-names.ts';
import type { Session } from '../session.ts';
import { ask, type RunningHost } from './running-host.ts';

/** Exports runs from a running host, and imports them. */

export async function takeBundle(session: Session, runId: string): Promise<ExitCode> {
  const { host, out } = session;
  const text = await withKnownRun(session, runId, (id) =>
    ask(host, `/v1/runs/${encodeURIComponent(id)}/debug-bundle`),
  );
  const bundle = JSON.parse(text) as { truncated?: boolean; redactionApplied?: boolean };
  out.give(bundle, text);
  if (bundle.redactionApplied) out.note('Some values in the bundle were masked.');
  if (bundle.truncated) out.note('The run is too large: the bundle is incomplete and cannot be imported.');
  return EXIT.done;
}

export async function importBundle(host: RunningHost, file: string, out: Output): Promise<ExitCode> {
  if (!existsSync(file)) throw notFound(`There is no bundle at ${file}.`);
  const answer = JSON.parse(await ask(host, '/v1/runs:import', readFileSync(file, 'utf8'))) as {
    readonly runId: string;
    readonly from: string;
    readonly runs: number;
    readonly verified: boolean;
    readonly vouchedBy?: string;
  };
  out.give(answer, answer.runId);
  const proof = answer.verified ? 'every log agrees with its hash chain' : 'not every log could be checked';
  const voucher =
    answer.vouchedBy === undefined ? 'not signed with a trusted key' : `signed with ${answer.vouchedBy}`;
  out.note(
    `Imported ${answer.runs} ${answer.runs === 1 ? 'run' : 'runs'} of ${answer.from}; ${proof}, ${voucher}.`,
  );
  return EXIT.done;
}
