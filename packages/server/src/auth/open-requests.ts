import type { ServerResponse } from 'node:http';
import { BatonError } from '@baton/protocol';

/** Bounds the requests that a tenant has open at once, so that no tenant holds all connections with streams. */
export interface OpenRequests {
  /** Counts a request until it is answered. Throws `too_many_open` when the tenant has too many. */
  enter(tenant: string, response: ServerResponse): void;
}

export function boundOpenRequests(perTenant: number): OpenRequests {
  const open = new Map<string, number>();
  return {
    enter(tenant, response) {
      const before = open.get(tenant) ?? 0;
      if (before >= perTenant) {
        throw new BatonError(
          'too_many_open',
          `This tenant has ${before} requests open; end some of its streams or waits, then try again.`,
        );
      }
      open.set(tenant, before + 1);
      response.once('close', () => {
        const left = (open.get(tenant) ?? 1) - 1;
        if (left === 0) open.delete(tenant);
        else open.set(tenant, left);
      });
    },
  };
}
