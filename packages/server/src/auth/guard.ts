import type { Access } from '@baton/protocol';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { authenticate, recognise, refusePeers, requireAccess } from './bearer.ts';
import type { Identity, Keyring } from './keyring.ts';
import type { OpenRequests } from './open-requests.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    readonly access?: Access;
    /** Other hosts may use the route. Every other route refuses them. */
    readonly peers?: boolean;
  }
  interface FastifyRequest {
    identity: Identity | null;
  }
}

export interface Throttle {
  /** Whether there is a limit for this caller. */
  limits(identity: Identity): boolean;
  /** Counts a request. Rejects with `rate_limited` when the caller is over its limit. */
  take(identity: Identity): Promise<void>;
}

/**
 * Adds the access check that a route declares in its `config`. The identity is checked before any other part
 * of the request, so that a caller without a key cannot learn which resources exist. A route that declares no
 * access makes the start of the host fail.
 */
export function guardRoutes(
  app: FastifyInstance,
  keyring: Keyring,
  open: OpenRequests,
  throttle?: Throttle,
): void {
  app.decorateRequest('identity', null);
  app.addHook('onRoute', (route) => {
    const access = route.config?.access;
    if (access === undefined) {
      throw new Error(`The route ${route.method} ${route.url} does not say who may use it.`);
    }
    if (access === 'public') return;
    const openToPeers = route.config?.peers === true;
    const admit = (identity: Identity, request: FastifyRequest, reply: FastifyReply): void => {
      if (!openToPeers) refusePeers(identity);
      requireAccess(identity, access);
      request.identity = identity;
      open.enter(identity.tenant, reply.raw);
    };
    // Most keys are recognised at once: those requests do not wait.
    route.onRequest = (request, reply, done) => {
      const known = recognise(keyring, request);
      if (known !== undefined && throttle?.limits(known) !== true) {
        admit(known, request, reply);
        done();
        return;
      }
      admitLater(request, reply).then((isHere) => {
        if (isHere) done();
      }, done);
    };
    /** False when the caller has gone meanwhile: no answer is needed, and nothing may be counted for it. */
    const admitLater = async (request: FastifyRequest, reply: FastifyReply): Promise<boolean> => {
      const identity = await authenticate(keyring, request);
      if (reply.raw.destroyed) return false;
      admit(identity, request, reply);
      await throttle?.take(identity);
      return !reply.raw.destroyed;
    };
  });
}
