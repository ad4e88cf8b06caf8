import { SESSION_COOKIE } from '@baton/protocol';
import type { HostSettings } from '../settings.ts';
import { type OpenedSession, SESSION_MS } from './sessions.ts';

/** Reads and writes cookies. Their values are of letters that need no quotes. */

interface CookieOptions {
  readonly path: string;
  readonly maxAgeS: number;
  /** Whether the cookie comes with requests that another site has caused: never, or when it links to the host. */
  readonly sameSite: 'Strict' | 'Lax';
  /** The cookie is sent over https only. */
  readonly secure: boolean;
}

/**
 * The value of a cookie. If there are several of this name, another page of the same machine or domain may have set
 * one of them, so that none counts.
 */
export function cookieIn(header: string | undefined, name: string): string | undefined {
  if (header === undefined) return undefined;
  const values = header.split(';').flatMap((part) => {
    const equals = part.indexOf('=');
    return equals > 0 && part.slice(0, equals).trim() === name ? [part.slice(equals + 1).trim()] : [];
  });
  return values.length === 1 ? values[0] : undefined;
}

export function cookieText(name: string, value: string, options: CookieOptions): string {
  const { path, maxAgeS, sameSite, secure } = options;
  const parts = [
    `${name}=${value}`,
    `Path=${path}`,
    `Max-Age=${maxAgeS}`,
    'HttpOnly',
    `SameSite=${sameSite}`,
  ];
  return [...parts, ...(secure ? ['Secure'] : [])].join('; ');
}

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
