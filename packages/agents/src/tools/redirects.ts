import { FetchRefusal } from './fetch-refusal.ts';

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** Headers that another origin may see. All others may hold a key or the data of a tenant. */
const HARMLESS = new Set(['accept', 'accept-language', 'content-type', 'traceparent', 'user-agent']);

export function isRedirect({ headers, status }: Response): boolean {
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
