import type { Patience } from './backoff.ts';

/** The part of a `Response` that the client uses. */
export interface FetchAnswer extends Pick<Response, 'ok' | 'status' | 'body' | 'text'> {
  readonly headers: Pick<Headers, 'get'>;
}

/** What the client gives to `fetch`. The headers are a plain object, because Node.js loads the class `Headers` slowly. */
export interface FetchRequest extends Pick<RequestInit, 'method' | 'signal'> {
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The part of `fetch` that the client uses. */
export type Fetch = (url: string, init: FetchRequest) => Promise<FetchAnswer>;

/** Where the host is, and how it is called. */
export interface Connection {
  readonly base: string;
  readonly key: string | undefined;
  readonly fetch: Fetch;
  readonly patience: Required<Patience>;
}

/** What every call takes. */
export interface CallOptions {
  /** Ends the waiting of the caller. The host goes on with what it has begun. */
  readonly signal?: AbortSignal;
}

/** What every call takes that changes something. */
export interface CommandOptions extends CallOptions {
  /**
   * Two commands with the same key are carried out once. The client makes a key for each call, so that its own
   * repetitions are safe; give one to make repetitions of your program safe, too.
   */
  readonly idempotencyKey?: string;
}
