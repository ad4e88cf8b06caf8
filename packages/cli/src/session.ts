import { type Baton, connect } from '@baton/client';
import { hostOf } from './commands/options.ts';
import { wrongUsage } from './output/command-failure.ts';
import type { Output } from './output/output.ts';
import { nodeFetch } from './over-http/node-fetch.ts';
import type { RunningHost } from './over-http/running-host.ts';
import type { Flags } from './settings/given.ts';

/** The host that a command talks to, and its output. */
export interface Session {
  readonly baton: Baton;
  readonly host: RunningHost;
  readonly out: Output;
  readonly flags: Flags;
}

/** A person waits at the terminal, so a host that does not answer is reported after a second at most. */
const PATIENCE = { tries: 3, firstDelayMs: 100 };

export function openSession(flags: Flags, out: Output): Session {
  const host = hostOf(flags);
  return { baton: connected(host.url, host.apiKey), host, out, flags };
}

function connected(url: string, key: string | undefined): Baton {
  try {
    return connect({ url, patience: PATIENCE, fetch: nodeFetch, ...(key !== undefined && { key }) });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw wrongUsage(error.message, 'The address comes from --url, BATON_URL or the data folder.');
  }
}
