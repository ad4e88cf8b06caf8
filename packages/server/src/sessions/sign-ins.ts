import { BatonError } from '@baton/protocol';
import type { Keyring } from '../auth/keyring.ts';
import { networkOf } from '../http/connections/remote-address.ts';
import type { SessionHolder } from './session-token.ts';
import type { OpenedSession, Sessions } from './sessions.ts';
import type { SignInCodes } from './sign-in-codes.ts';

/** Turns codes and keys into sessions, and slows down guessing. */
export interface SignIns {
  byCode(code: string, address: string): Promise<OpenedSession>;
  byKey(key: string, address: string): Promise<OpenedSession>;
  /** `find` gives the person for whom an OpenID provider vouches. */
  byPerson(address: string, find: () => Promise<SessionHolder | undefined>): Promise<OpenedSession>;
}

const MINUTE_MS = 60_000;
const MOST_FAILURES = 10;
/** An ended session is remembered until its time has come, so their number is bounded. */
const MOST_SESSIONS = 60;

interface SignInsOptions {
  readonly keyring: Pick<Keyring, 'identify'>;
  readonly sessions: Sessions;
  readonly codes: SignInCodes;
  readonly now: () => number;
}

export function signIns({ keyring, sessions, codes, now }: SignInsOptions): SignIns {
  const failures = countAttempts({
    most: MOST_FAILURES,
    windowMs: MINUTE_MS,
    message: 'Too many sign-ins have failed; wait and try again.',
    now,
  });
  const opened = countAttempts({
    most: MOST_SESSIONS,
    windowMs: MINUTE_MS,
    message: 'Too many sign-ins with this key; wait and try again.',
    now,
  });

  async function attempt(
    address: string,
    message: string,
    find: () => Promise<SessionHolder | undefined>,
  ): Promise<OpenedSession> {
    const network = networkOf(address);
    failures.admit(network);
    const holder = await find();
    const session = holder && (await openCounted(sessions, opened, holder));
    if (session !== undefined) return session;
    failures.count(network);
    throw new BatonError('unauthenticated', message);
  }

  return {
    byCode: (code, address) => attempt(address, WRONG_CODE, async () => codes.take(code)),
    byPerson: (address, find) => attempt(address, NOT_VOUCHED, find),
    byKey: (key, address) =>
      attempt(address, WRONG_KEY, async () => {
        const identity = await keyring.identify(key);
        return identity === undefined || identity.peer !== undefined
          ? undefined
          : sessions.holderOf(identity);
      }),
  };
}

const WRONG_CODE =
  'This sign-in code was used, has expired or never existed; "baton open" prints a link with a new one.';
const NOT_VOUCHED = 'The OpenID provider did not confirm who you are; open the console and begin again.';
const WRONG_KEY = 'This API key is not known, no longer valid, or is that of another host.';

async function openCounted(
  sessions: Sessions,
  opened: Attempts,
  holder: SessionHolder,
): Promise<OpenedSession | undefined> {
  const session = await sessions.open(holder);
  if (session === undefined) return undefined;
  opened.admit(session.identity.keyId);
  opened.count(session.identity.keyId);
  return session;
}

/** Bounds how often something is tried under one name, such as a sign-in from one network. */
interface Attempts {
  /** Throws `rate_limited` when too many attempts of this name were counted. */
  admit(name: string): void;
  count(name: string): void;
}

interface AttemptsOptions {
  /** Attempts in one window. A window begins with the first attempt. */
  readonly most: number;
  readonly windowMs: number;
  readonly message: string;
  readonly now: () => number;
}

/** Names that are remembered at once. */
const MOST_NAMES = 10_000;

export function countAttempts({ most, windowMs, message, now }: AttemptsOptions): Attempts {
  const counted = new Map<string, { readonly times: number; readonly until: number }>();

  const current = (name: string) => {
    const found = counted.get(name);
    return found !== undefined && found.until > now() ? found : undefined;
  };

  function makeRoom(): void {
    if (counted.size < MOST_NAMES) return;
    for (const [name, { until }] of counted) if (until <= now()) counted.delete(name);
    if (counted.size >= MOST_NAMES) counted.clear();
  }

  return {
    admit(name) {
      const found = current(name);
      if (found === undefined || found.times < most) return;
      const retryAfter = Math.max(1, Math.ceil((found.until - now()) / 1000));
      throw new BatonError('rate_limited', message, { retryAfter });
    },
    count(name) {
      const { times, until } = current(name) ?? { times: 0, until: now() + windowMs };
      makeRoom();
      counted.set(name, { times: times + 1, until });
    },
  };
}
