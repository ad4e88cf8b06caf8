import { isIP } from 'node:net';
import type { Agent, RequestInit as UndiciInit } from 'undici';
import { causesOf, FetchRefusal } from './fetch-refusal.ts';
import { type Allowed, addressRefused, judgedLookup, type Resolve, systemResolve } from './judged-lookup.ts';
import { isPublicAddress } from './public-address.ts';

/**
 * The HTTP client for every address that a workflow, a model or a tool can influence. `guarded` calls addresses of
 * the public internet only. `operator` may also call private addresses, and is for addresses that the operator wrote
 * into the configuration. All other rules hold for both.
 */
export interface GuardedFetchOptions extends FetchBounds {
  readonly mode: 'guarded' | 'operator';
}

export interface FetchBounds {
  /** Bytes of a response body, after decompression. */
  readonly maxBytes?: number;
  /** How long to wait for a connection. */
  readonly connectTimeoutMs?: number;
  /** How long to wait for the head of a response; 0 means that the caller's signal alone ends the wait. */
  readonly headersTimeoutMs?: number;
  /** How long a body may be silent; 0 as above. */
  readonly bodyTimeoutMs?: number;
  readonly maxRedirects?: number;
  readonly resolve?: Resolve;
  readonly tls?: ClientTls;
}

/** As PEM. All servers that a client calls see the same certificate, so a client with one is for one server. */
export interface ClientTls {
  readonly certificate?: { readonly chain: string; readonly key: string };
  /** The authorities that are trusted, in place of those that Node.js knows. */
  readonly ca?: string;
}

export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

export interface GuardedFetch {
  /** As the global `fetch`, for SDKs that take one. A rule that is broken is a `FetchRefusal`. */
  readonly fetch: Fetch;
  close(): Promise<void>;
  /** Takes no further requests, and closes when those under way are answered. */
  retire(): Promise<void>;
}

export function guardedFetch({ mode, ...options }: GuardedFetchOptions): GuardedFetch {
  return fetchTo(mode === 'guarded' ? isPublicAddress : () => true, options);
}

/** A client that connects only to addresses that `allowed` accepts. */
export function fetchTo(allowed: Allowed, options: FetchBounds): GuardedFetch {
  let loaded: Promise<Loaded> | undefined;
  const { maxBytes = 4 * 1024 * 1024, maxRedirects = 5 } = options;

  const follow: Fetch = async (given, init = {}) => {
    loaded ??= load(allowed, options);
    const { send } = await loaded;
    let url = judged(given);
    let request: RequestInit = { ...init, redirect: 'manual' };
    let response = await send(url, request);
    for (let redirects = 0; isRedirect(response); redirects += 1) {
      await response.body?.cancel();
      try {
        if (redirects >= maxRedirects) {
          throw new FetchRefusal('redirect', `${url.origin} redirects more than ${maxRedirects} times`);
        }
        ({ url, request } = redirected(url, request, response));
        response = await send(judged(url), request);
      } catch (error) {
        const refusal = refusalIn(error);
        throw refusal === undefined ? error : new FetchRefusal('redirect', refusal.message);
      }
    }
    return boundedResponse(response, maxBytes, url.href);
  };

  return {
    fetch: (url, init) =>
      follow(url, init).catch((error: unknown) => Promise.reject(refusalIn(error) ?? error)),
    close: async () => {
      await loaded?.then(({ agent }) => agent.destroy());
    },
    retire: async () => {
      await loaded?.then(({ agent }) => agent.close());
    },
  };
}

interface Loaded {
  readonly agent: Agent;
  readonly send: Fetch;
}

/** undici takes a fifth of a second to load, so it is loaded with the first request. */
async function load(allowed: Allowed, options: FetchBounds): Promise<Loaded> {
  const { Agent, buildConnector, fetch } = await import('undici');
  const { connectTimeoutMs = 5_000, headersTimeoutMs = 30_000, bodyTimeoutMs = 30_000 } = options;
  const { resolve = systemResolve, tls: { ca, certificate } = {} } = options;
  const connect = buildConnector({
    timeout: connectTimeoutMs,
    lookup: judgedLookup(resolve, allowed),
    ...(ca !== undefined && { ca }),
    ...(certificate && { cert: certificate.chain, key: certificate.key }),
  });
  const agent = new Agent({
    headersTimeout: headersTimeoutMs,
    bodyTimeout: bodyTimeoutMs,
    // A literal address needs no lookup, so it is judged here.
    connect: (target, done) => {
      const host = bare(target.hostname);
      if (isIP(host) !== 0 && !allowed(host)) done(addressRefused(host), null);
      else connect(target, done);
    },
  });
  // The types of Node.js describe an older undici, so the two descriptions of a request differ.
  const send = (url: string | URL, init?: RequestInit) =>
    fetch(url, { ...(init as UndiciInit), dispatcher: agent }) as unknown as Promise<Response>;
  return { agent, send };
}

/**
 * The address as a URL, which has every literal address in its usual spelling: `http://2130706433` is 127.0.0.1. The
 * connector judges the address itself.
 */
function judged(given: string | URL): URL {
  const url = URL.canParse(String(given)) ? new URL(given) : undefined;
  if (url === undefined) throw new FetchRefusal('url', 'the address is not a URL');
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new FetchRefusal('url', `an address must begin with https:// or http://, not with ${url.protocol}`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new FetchRefusal('url', 'an address must not hold a user name or a password');
  }
  return url;
}

function bare(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}

/** undici reports every failure of a connection as the same `TypeError`, with the reason as its cause. */
function refusalIn(error: unknown): FetchRefusal | undefined {
  return causesOf(error).find((cause) => cause instanceof FetchRefusal);
}

/** Bodies that are not there may not be given to a `Response`. */
const WITHOUT_BODY = new Set([101, 103, 204, 205, 304]);

/**
 * The response with a body of at most `maxBytes`, counted after decompression: a small compressed body can be
 * gigabytes of text. A longer body ends with an error and never as if it were whole.
 */
function boundedResponse(response: Response, maxBytes: number, url: string): Response {
  const { status, statusText } = response;
  const headers = new Headers(response.headers);
  // The body is no longer in this form.
  for (const name of ['content-encoding', 'content-length']) headers.delete(name);
  const body =
    response.body === null || WITHOUT_BODY.has(status) ? null : response.body.pipeThrough(bound(maxBytes));
  const bounded = new Response(body, { status, statusText, headers });
  Object.defineProperty(bounded, 'url', { value: url });
  return bounded;
}

function bound(maxBytes: number): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes > maxBytes) throw new FetchRefusal('size', `the response has more than ${maxBytes} bytes`);
      controller.enqueue(chunk);
    },
  });
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** Headers that another origin may see. All others may hold a key or the data of a tenant. */
const HARMLESS = new Set(['accept', 'accept-language', 'content-type', 'traceparent', 'user-agent']);

function isRedirect({ headers, status }: Response): boolean {
  return REDIRECTS.has(status) && headers.has('location');
}

/** The request that a redirect asks for. */
export function redirected(
  from: URL,
  request: RequestInit,
  response: Response,
): { readonly url: URL; readonly request: RequestInit } {
  const location = response.headers.get('location') ?? '';
  if (!URL.canParse(location, from.href))
    throw new FetchRefusal('redirect', `${from.origin} redirects to no URL`);
  const url = new URL(location, from);
  if (from.protocol === 'https:' && url.protocol !== 'https:') {
    throw new FetchRefusal(
      'redirect',
      `${from.origin} redirects from https to an address without encryption`,
    );
  }
  const next = keepsMethod(request, response.status) ? request : asGet(request);
  if (url.origin === from.origin) return { url, request: next };
  if (next.body !== undefined && next.body !== null) {
    throw new FetchRefusal('redirect', `${from.origin} redirects a request with a body to ${url.origin}`);
  }
  return { url, request: { ...next, headers: harmless(next.headers) } };
}

/** As browsers do: 307 and 308 repeat the request, and the others make a POST a GET. */
function keepsMethod({ method = 'GET' }: RequestInit, status: number): boolean {
  return status === 307 || status === 308 || /^(?:GET|HEAD)$/i.test(method);
}

function asGet({ body: _, ...request }: RequestInit): RequestInit {
  const headers = new Headers(request.headers);
  for (const name of ['content-type', 'content-length', 'content-encoding']) headers.delete(name);
  return { ...request, method: 'GET', headers };
}

function harmless(headers: RequestInit['headers']): Headers {
  return new Headers([...new Headers(headers)].filter(([name]) => HARMLESS.has(name)));
}
