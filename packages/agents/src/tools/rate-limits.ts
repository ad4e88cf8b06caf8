import type { ToolCall } from '@baton/engine/ports';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { matches } from './tool-ids.ts';
import type { ToolLimit } from './tools-config.ts';

/** Counts a call. Answers with the time to wait if the call is one too many, and with undefined if it may be made. */
type RateLimits = (call: Pick<ToolCall, 'tenant' | 'principal' | 'id'>) => Promise<number | undefined>;

/** Each principal of a tenant is counted for each tool by itself. Of several limits the most particular one holds. */
export function rateLimits(limits: readonly ToolLimit[]): RateLimits {
  const limiters = limits
    .toSorted((one, other) => other.tools.length - one.tools.length)
    .map(({ tools, calls, perSeconds }) => ({
      tools,
      limiter: new RateLimiterMemory({ points: calls, duration: perSeconds }),
    }));
  return async ({ tenant, principal, id }) => {
    const limiter = limiters.find(({ tools }) => matches(tools, id))?.limiter;
    try {
      await limiter?.consume(JSON.stringify([tenant, principal, id]));
      return undefined;
    } catch (refused) {
      if (refused instanceof RateLimiterRes) return Math.max(1, refused.msBeforeNext);
      throw refused;
    }
  };
}
