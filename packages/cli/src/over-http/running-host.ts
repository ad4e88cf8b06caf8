import { BatonError } from '@baton/client';
import { CommandFailure, wrongUsage } from '../output/command-failure.ts';
import { EXIT } from '../output/exit-codes.ts';
import { reportOf } from '../output/report-failure.ts';
import { nodeFetch } from './node-fetch.ts';

/** Sends requests to a running host, over HTTP. */

export interface RunningHost {
  readonly url: string;
  readonly apiKey: string | undefined;
}

/** Sends a POST if there is a body, else a GET. Returns the text of the response. */
export async function ask(
  host: RunningHost,
  path: string,
  body?: string,
  signal?: AbortSignal,
): Promise<string> {
  if (!URL.canParse(host.url)) {
    throw wrongUsage(
      `${host.url} is not an address; write one like http://127.0.0.1:4747 or http://[::1]:4747.`,
    );
  }
  const key = keyOf(host);
  const response = await nodeFetch(`${host.url}${path}`, {
    ...(body !== undefined && { method: 'POST', body }),
    ...(signal && { signal }),
    headers: {
      accept: 'application/json',
      authorization: `Bearer ${key}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
  }).catch((cause: unknown) => {
    throw new CommandFailure(`No host answers at ${host.url}; start one, or set its address with --url.`, {
      exit: EXIT.noHost,
      code: 'host_unreachable',
      cause,
    });
  });
  const text = await response.text();
  if (response.ok) return text;
  const { error: code = 'failed', message = text } = refusalIn(text);
  const { exit, hint } = reportOf(new BatonError(code as BatonError['code'], message));
  throw new CommandFailure(`The host refused: ${message}`, { code, exit, hint });
}

function keyOf({ apiKey }: RunningHost): string {
  if (apiKey !== undefined) return apiKey;
  throw new CommandFailure('There is no key for the host; set one with --key or BATON_API_KEY.', {
    exit: EXIT.keyRefused,
    code: 'unauthenticated',
  });
}

/** What the host says about a refusal. An answer that is no object of a host is its own message. */
function refusalIn(text: string): { readonly error?: string; readonly message?: string } {
  try {
    const { error, message } = JSON.parse(text) as { error?: string; message?: string };
    return { error, message: message ?? error };
  } catch {
    return {};
  }
}
