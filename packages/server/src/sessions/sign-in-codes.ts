import { createHash, randomBytes } from 'node:crypto';
import type { SessionHolder } from './session-token.ts';

/** Codes with which a browser signs in once. They are in memory only: a stopped host has forgotten them. */
export interface SignInCodes {
  /** Without a lifetime, the code is valid until it is used or the host stops. */
  issue(holder: SessionHolder, lifetimeMs?: number): string;
  /** The holder of a valid code, which is used up by this; `undefined` for every other text. */
  take(code: string): SessionHolder | undefined;
}

/** Of one holder. The oldest code ends when there are more. */
const MOST_OF_HOLDER = 20;
const CODE_BYTES = 32;

interface Issued {
  readonly holder: SessionHolder;
  readonly expiresAt: number;
}

export function signInCodes(now: () => number): SignInCodes {
  /** By the digest of the code: the time of a look-up tells nothing about the code. Oldest first. */
  const issued = new Map<string, Issued>();

  function makeRoom(holder: SessionHolder): void {
    for (const [digest, { expiresAt }] of issued) if (expiresAt <= now()) issued.delete(digest);
    const name = nameOf(holder);
    const own = [...issued].filter(([, other]) => nameOf(other.holder) === name);
    for (const [digest] of own.slice(0, Math.max(0, own.length - MOST_OF_HOLDER + 1))) issued.delete(digest);
  }

  return {
    issue(holder, lifetimeMs = Number.POSITIVE_INFINITY) {
      makeRoom(holder);
      const code = randomBytes(CODE_BYTES).toString('base64url');
      issued.set(digestOf(code), { holder, expiresAt: now() + lifetimeMs });
      return code;
    },
    take(code) {
      const digest = digestOf(code);
      const found = issued.get(digest);
      issued.delete(digest);
      return found !== undefined && found.expiresAt > now() ? found.holder : undefined;
    },
  };
}

function nameOf(holder: SessionHolder): string {
  return holder.kind === 'key' ? holder.keyId : holder.kind;
}

function digestOf(code: string): string {
  return createHash('sha256').update(code).digest('hex');
}

/**
 * The address that signs a browser in with a code. The code is behind `#`, so that the browser does not send it, and
 * no log of a server or a proxy holds it.
 */
export function signInLink(hostUrl: string, code: string): string {
  // A host that listens on all addresses of the machine is reached by its loopback address.
  const url = hostUrl.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
  return `${url}/#code=${code}`;
}
