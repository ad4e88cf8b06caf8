import { BatonError } from '@baton/protocol';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { Throttle } from './guard.ts';

/** So many requests a second for each key; what is beyond is told when to come back. */
export function limitPerKey(requestsPerSecond: number): Throttle {
  const limiter = new RateLimiterMemory({ points: requestsPerSecond, duration: 1 });
  return async (identity) => {
    try {
      await limiter.consume(identity.keyId);
    } catch (refused) {
      if (!(refused instanceof RateLimiterRes)) throw refused;
      const retryAfter = Math.max(1, Math.ceil(refused.msBeforeNext / 1000));
      throw new BatonError('rate_limited', undefined, { retryAfter });
    }
  };
}
