import { existsSync, readFileSync } from 'node:fs';
import type { Terminal } from '../terminal.ts';
import { ask, type RunningHost } from './running-host.ts';

/** Exports runs from a running host, and imports them. */

export async function takeBundle(host: RunningHost, runId: string, terminal: Terminal): Promise<void> {
  const text = await ask(host, `/v1/runs/${encodeURIComponent(runId)}/debug-bundle`);
  terminal.print(text);
  const { truncated, redactionApplied } = JSON.parse(text) as {
    truncated?: boolean;
    redactionApplied?: boolean;
  };
  if (redactionApplied) terminal.note('Some values in the bundle were masked.');
  if (truncated) terminal.note('The run is too large: the bundle is incomplete and cannot be imported.');
}

export async function importBundle(host: RunningHost, file: string, terminal: Terminal): Promise<void> {
  if (!existsSync(file)) throw new Error(`There is no bundle at ${file}.`);
  const answer = JSON.parse(await ask(host, '/v1/runs:import', readFileSync(file, 'utf8'))) as {
    readonly runId: string;
    readonly from: string;
    readonly runs: number;
    readonly verified: boolean;
    readonly vouchedBy?: string;
  };
  terminal.print(answer.runId);
  const proof = answer.verified ? 'every log agrees with its hash chain' : 'not every log could be checked';
  const voucher =
    answer.vouchedBy === undefined ? 'not signed with a trusted key' : `signed with ${answer.vouchedBy}`;
  terminal.note(
    `Imported ${answer.runs} ${answer.runs === 1 ? 'run' : 'runs'} of ${answer.from}; ${proof}, ${voucher}.`,
  );
}
