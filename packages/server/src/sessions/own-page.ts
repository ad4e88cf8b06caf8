import { BatonError, CONSOLE_HEADER } from '@baton/protocol';
import type { FastifyRequest } from 'fastify';
import type { HostSettings } from '../settings.ts';

type Asked = Pick<FastifyRequest, 'method' | 'headers'>;
type Address = Pick<HostSettings, 'publicUrl' | 'tls'>;

/**
 * A browser adds the cookie of a session by itself, whichever page causes the request. So a session counts only for
 * requests of pages of this host. A request that changes something must also have a header that no other site can
 * add without the permission of the host.
 */
export function requireOwnPage(request: Asked, host: Address): void {
  const changes = request.method !== 'GET' && request.method !== 'HEAD';
  if (!isFromOwnPage(request, host, changes) || (changes && request.headers[CONSOLE_HEADER] !== '1')) {
    throw new BatonError('forbidden', NOT_OWN_PAGE);
  }
}

/** For a sign-in, which has no cookie yet: another site must not sign a browser in. Programs send no such headers. */
export function refuseOtherSites(request: Asked, host: Address): void {
  const { origin, 'sec-fetch-site': site } = request.headers;
  const isBrowser = origin !== undefined || site !== undefined;
  if (isBrowser && !isFromOwnPage(request, host, true)) throw new BatonError('forbidden', NOT_OWN_PAGE);
}

const NOT_OWN_PAGE =
  'A session is valid only for requests of pages of this host, which send "X-Baton-Console: 1" when they change ' +
  'something; use an API key elsewhere.';

/** Browsers leave `Sec-Fetch-Site` out where a host is reached over http by another name than localhost. */
function isFromOwnPage({ headers }: Asked, host: Address, changes: boolean): boolean {
  const { origin, 'sec-fetch-site': site } = headers;
  // `none`: the person has entered the address.
  if (site !== undefined) return site === 'same-origin' || (site === 'none' && !changes);
  if (origin === undefined) return !changes;
  const scheme = host.tls === undefined ? 'http' : 'https';
  return origin === host.publicUrl || origin === `${scheme}://${headers.host}`;
}
