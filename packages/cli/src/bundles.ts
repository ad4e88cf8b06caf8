import { existsSync, readFileSync } from 'node:fs';
import { developmentKeyFile } from './dev-key.ts';
import type { Terminal } from './terminal.ts';

/** Runs as documents, from and to a host that is running. */

export interface RunningHost {
  readonly url: string;
  readonly apiKey: string | undefined;
  /** Where the development key is, when no other was given. */
  readonly folder: string;
}

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
    readonly from: string;
    readonly runs: number;
    readonly verified: boolean;
    readonly vouchedBy?: string;
  };
  terminal.print(answer.runId);
  const proof = answer.verified ? 'every log agrees with its hash chain' : 'not every log could be checked';
  const voucher = answer.vouchedBy === undefined ? 'nobody vouches for it' : `signed by ${answer.vouchedBy}`;
  terminal.note(
    `Took in ${answer.runs} ${answer.runs === 1 ? 'run' : 'runs'} of ${answer.from}; ${proof}, ${voucher}.`,
  );
}

async function ask(host: RunningHost, path: string, body?: string): Promise<string> {
  const response = await fetch(`${host.url}${path}`, {
    ...(body !== undefined && { method: 'POST', body }),
    headers: {
      accept: 'application/json',
      authorization: `Bearer ${keyOf(host)}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
  }).catch((cause: unknown) => {
    throw new Error(`No host answers at ${host.url}; start one, or name the right one with --url.`, {
      cause,
    });
  });
  const text = await response.text();
  if (response.ok) return text;
  throw new Error(`The host refused: ${messageIn(text)}`);
}

function keyOf({ apiKey, folder }: RunningHost): string {
  if (apiKey !== undefined) return apiKey;
  const file = developmentKeyFile(folder);
  if (existsSync(file)) return readFileSync(file, 'utf8').trim();
  throw new Error('There is no key to talk to the host with; name one with --api-key or BATON_API_KEY.');
}

function messageIn(text: string): string {
  try {
    const { error, message } = JSON.parse(text) as { error?: string; message?: string };
    return message ?? error ?? text;
  } catch {
    return text;
  }
}
