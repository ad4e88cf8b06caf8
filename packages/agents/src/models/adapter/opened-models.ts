import type { LanguageModelV3 } from '@ai-sdk/provider';
import { type Connection, languageModel } from './language-model.ts';

/** A model call, which has a `fetch` of its own. All requests of the call have this signal. */
interface CallFetch {
  readonly fetch: typeof fetch;
  readonly signal: AbortSignal;
}

/** How many models are kept. */
const MOST = 64;
/** The model that was used last stands last. */
const opened = new Map<string, Promise<LanguageModelV3>>();
const fetches = new WeakMap<AbortSignal, typeof fetch>();

/**
 * The model for a call. To open a model takes longer than to send a short request, so it is kept for the next call with
 * the same connection, and finds the `fetch` of each call by the signal of the call.
 */
export function openedModel(
  connection: Omit<Connection, 'fetch'>,
  model: string,
  call: CallFetch,
): Promise<LanguageModelV3> {
  fetches.set(call.signal, call.fetch);
  const { kind, baseURL, api, key, headers, structuredOutputs } = connection;
  const name = JSON.stringify([model, kind, baseURL, api, key, headers, structuredOutputs]);
  const found = opened.get(name) ?? languageModel({ ...connection, fetch: fetchOfCall }, model);
  opened.delete(name);
  opened.set(name, found);
  found.catch(() => opened.delete(name));
  const [oldest] = opened.keys();
  if (opened.size > MOST && oldest !== undefined) opened.delete(oldest);
  return found;
}

function fetchOfCall(...[input, init]: Parameters<typeof fetch>): Promise<Response> {
  const own = init?.signal ? fetches.get(init.signal) : undefined;
  return own === undefined
    ? Promise.reject(new Error('the request does not have the signal of a model call'))
    : own(input, init);
}
