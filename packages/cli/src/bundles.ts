import { existsSync, readFileSync } from 'node:fs';
import { ask, type RunningHost } from './running-host.ts';
import type { Terminal } from './terminal.ts';

/** Runs as documents, from and to a host that is running. */

export async function takeBundle(host: RunningHost, runId: string, terminal: Terminal): Promise<void> {
  const text = await ask(host, `/v1/runs/${encodeURIComponent(runId)}/debug-bundle`);
  terminal.print(text);
  const { truncated, redactionApplied } = JSON.parse(text) as {
    truncated?: boolean;
    redactionApplied?: boolean;
  };
  if (redactionApplied) terminal.note('Something in it was masked.');
  if (truncated) terminal.note('The run is too large for a bundle: it was cut off, and cannot be imported.');
}

export async function importBundle(host: RunningHost, file: string, terminal: Terminal): Promise<void> {
  if (!existsSync(file)) throw new Error(`There is no bundle at ${file}.`);
  const answer = JSON.parse(await ask(host, '/v1/runs:import', readFileSync(file, 'utf8'))) as {
    readonly runId: string;
    readonly runs: number;
    readonly verified: boolean;
  };
  terminal.print(answer.runId);
  const proof = answer.verified ? 'every log agrees with its hash chain' : 'not every log could be checked';
  terminal.note(`Took in ${answer.runs} ${answer.runs === 1 ? 'run' : 'runs'}; ${proof}.`);
}
