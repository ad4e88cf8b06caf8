import { BatonError } from '@baton/protocol';

/** Bounds how often something is tried under one name, such as a sign-in from one network. */
export interface Attempts {
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
