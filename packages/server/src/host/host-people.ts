import { guardedFetch } from '@baton/agents';
import type { ChangeFeed } from '@baton/engine/ports';
import { BatonError, SESSION_COOKIE } from '@baton/protocol';
import type { Logger } from 'pino';
import type { KeyOwners, Keyring } from '../auth/keyring.ts';
import { cookieIn } from '../sessions/cookies.ts';
import type { OidcSettings } from '../sessions/oidc/oidc-settings.ts';
import { type OidcSignIns, oidcSignIns } from '../sessions/oidc/oidc-sign-ins.ts';
import { identitiesByRules } from '../sessions/oidc/people-by-rules.ts';
import { requireOwnPage } from '../sessions/own-page.ts';
import type { SessionHolder } from '../sessions/session-token.ts';
import { createSessions, type Sessions } from '../sessions/sessions.ts';
import { signInCodes } from '../sessions/sign-in-codes.ts';
import { type SignIns, signIns } from '../sessions/sign-ins.ts';
import type { HostSettings } from '../settings.ts';
import type { StoredEndings } from '../storage/open-storage.ts';

/** The people who use a host with a browser, and how they sign in. */
export interface HostPeople {
  readonly sessions: Sessions;
  readonly signIns: SignIns;
  /** A code that signs a browser in once. Without a lifetime, it is valid until it is used or the host stops. */
  issueCode(holder: SessionHolder, lifetimeMs?: number): string;
  /** Absent if the operator has set no OpenID provider. */
  readonly oidc?: OidcSignIns;
  stop(): Promise<void>;
}

interface PeopleParts {
  readonly settings: HostSettings;
  /** The key of the host from which the key that signs sessions is derived. */
  readonly tokenKey: Buffer;
  readonly keys: Pick<Keyring, 'identify'> & KeyOwners;
  readonly endings: StoredEndings;
  readonly feed: ChangeFeed;
  readonly log: Logger;
}

export async function hostPeople(
  parts: PeopleParts,
): Promise<{ readonly people: HostPeople; readonly bySession: Keyring['bySession'] }> {
  const { settings, tokenKey, keys, endings, feed, log } = parts;
  const now = Date.now;
  const sessions = await createSessions({
    tokenKey,
    operatorKey: settings.apiKey,
    owners: keys,
    personOf: identitiesByRules(settings.oidc),
    endings,
    feed,
    now,
  });
  const codes = signInCodes(now);
  const people = {
    sessions,
    signIns: signIns({ keyring: keys, sessions, codes, now }),
    issueCode: codes.issue,
    ...signInsByOidc(settings.oidc, tokenKey, log),
  };
  return { people, bySession: callersBySession(sessions, settings) };
}

const MOST_ANSWER_BYTES = 1024 * 1024;

/** The operator has written the address of the provider, so it may be in a private network. */
function signInsByOidc(
  settings: OidcSettings | undefined,
  tokenKey: Buffer,
  log: Logger,
): Pick<HostPeople, 'oidc' | 'stop'> {
  if (settings === undefined) return { stop: async () => undefined };
  const client = guardedFetch({ mode: 'operator', maxBytes: MOST_ANSWER_BYTES, maxRedirects: 0 });
  const oidc = oidcSignIns({ settings, fetch: client.fetch, tokenKey, log, now: Date.now });
  return { oidc, stop: client.close };
}

function callersBySession(
  sessions: Pick<Sessions, 'identify'>,
  settings: HostSettings,
): Keyring['bySession'] {
  return async (request) => {
    const token = cookieIn(request.headers.cookie, SESSION_COOKIE);
    if (token === undefined) return undefined;
    const identity = await sessions.identify(token);
    if (identity === undefined) {
      throw new BatonError('unauthenticated', 'This session has ended, or is not known; sign in again.');
    }
    requireOwnPage(request, settings);
    return identity;
  };
}
