import { BatonError } from '@baton/protocol';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { Throttle } from './guard.ts';

/** Bounds the requests of each key in a second. A refused request is told when to try again. */
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
