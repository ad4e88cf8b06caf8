import { BatonError } from '@baton/protocol';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { Throttle } from './guard.ts';
import type { Identity } from './keyring.ts';

/** Requests in a second; 0 means no limit. */
interface RateLimits {
  readonly perKey: number;
  /** A peer has one limit for all of its tokens and keys. */
  readonly perPeer: number;
  /** How many hosts share the requests of a caller. Each of them allows its part. */
  readonly hosts?: () => number;
}

/** Bounds the requests of each key and of each peer. A refused request is told when to try again. */
export function limitRequests({ perKey, perPeer, hosts = () => 1 }: RateLimits): Throttle {
  const keys = limiterOf(perKey);
  const peers = limiterOf(perPeer);
  const limiterFor = ({ peer }: Identity) => (peer === undefined ? keys : peers);
  return {
    limits: (identity) => limiterFor(identity) !== undefined,
    async take(identity) {
      try {
        await limiterFor(identity)?.consume(
          identity.peer?.name ?? identity.keyId,
          // With fewer requests than hosts, each host allows one.
          Math.min(hosts(), identity.peer === undefined ? perKey : perPeer),
        );
      } catch (refused) {
        if (!(refused instanceof RateLimiterRes)) throw refused;
        const retryAfter = Math.max(1, Math.ceil(refused.msBeforeNext / 1000));
        throw new BatonError('rate_limited', undefined, { retryAfter });
      }
    },
  };
}

function limiterOf(requestsPerSecond: number): RateLimiterMemory | undefined {
  return requestsPerSecond > 0
    ? new RateLimiterMemory({ points: requestsPerSecond, duration: 1 })
    : undefined;
}
