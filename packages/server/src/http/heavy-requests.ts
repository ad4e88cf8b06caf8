import { BatonError } from '@baton/protocol';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { identityOf } from '../auth/bearer.ts';

/**
 * Some requests are expensive: they read whole logs. Their number is bounded, for the host and for
 * each tenant. Further requests are refused before their body is read, and may be sent again.
 */

declare module 'fastify' {
  interface FastifyContextConfig {
    readonly heavy?: boolean;
  }
}

interface Bounds {
  readonly host: number;
  readonly tenant: number;
}

const HEAVY_BOUNDS: Bounds = { host: 16, tenant: 8 };

/** A reader that takes longer than this is cut off, so that it does not occupy a place for ever. */
const LONGEST_MS = 120_000;

export function boundHeavyRequests(app: FastifyInstance, bounds = HEAVY_BOUNDS): void {
  const places = placesFor(bounds);
  app.addHook('onRoute', (route) => {
    if (route.config?.heavy !== true) return;
    route.preParsing = (request: FastifyRequest, reply: FastifyReply, _payload, done) => {
      const leave = places.enter(identityOf(request).tenant);
      if (leave === undefined) {
        done(new BatonError('too_many_reads', undefined, { bounds }));
        return;
      }
      const cutOff = setTimeout(() => reply.raw.destroy(), LONGEST_MS);
      reply.raw.once('close', () => {
        clearTimeout(cutOff);
        leave();
      });
      done();
    };
  });
}

export function placesFor({ host, tenant: each }: Bounds) {
  const taken = new Map<string, number>();
  let all = 0;
  return {
    /** Returns a function that gives the place back, or `undefined` when no place is free. */
    enter(tenant: string): (() => void) | undefined {
      const own = taken.get(tenant) ?? 0;
      if (all >= host || own >= each) return undefined;
      all += 1;
      taken.set(tenant, own + 1);
      return () => {
        all -= 1;
        const left = (taken.get(tenant) ?? 1) - 1;
        if (left === 0) taken.delete(tenant);
        else taken.set(tenant, left);
      };
    },
  };
}
