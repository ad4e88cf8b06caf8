import { SESSION_COOKIE } from '@baton/protocol';
import type { HostSettings } from '../settings.ts';
import { cookieText } from './cookies.ts';
import { type OpenedSession, SESSION_MS } from './sessions.ts';

type Address = Pick<HostSettings, 'tls' | 'publicUrl'>;

/** Whether browsers reach the host by https. Its cookies are then not sent over http. */
export function isSecure({ tls, publicUrl }: Address): boolean {
  return tls !== undefined || publicUrl?.startsWith('https:') === true;
}

export function sessionCookie({ token }: OpenedSession, address: Address): string {
  return cookieWith(token, SESSION_MS / 1000, address);
}

/** Removes the cookie from the browser. */
export function noSessionCookie(address: Address): string {
  return cookieWith('', 0, address);
}

function cookieWith(value: string, maxAgeS: number, address: Address): string {
  const options = { path: '/', maxAgeS, sameSite: 'Strict', secure: isSecure(address) } as const;
  return cookieText(SESSION_COOKIE, value, options);
}
