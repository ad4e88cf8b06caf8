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
    throw new Error(
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
    throw new Error(`No host answers at ${host.url}; start one, or set its address with --url.`, {
      cause,
    });
  });
  const text = await response.text();
  if (response.ok) return text;
  throw new Error(`The host refused: ${messageIn(text)}`);
}

function keyOf({ apiKey }: RunningHost): string {
  if (apiKey !== undefined) return apiKey;
  throw new Error('There is no key for the host; set one with --key or BATON_API_KEY.');
}

function messageIn(text: string): string {
  try {
    const { error, message } = JSON.parse(text) as { error?: string; message?: string };
    return message ?? error ?? text;
  } catch {
    return text;
  }
}
