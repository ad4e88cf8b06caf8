import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { authenticate, requireScope } from './bearer.ts';
import type { Identity, Keyring } from './keyring.ts';
import type { OpenRequests } from './open-requests.ts';
import type { Access } from './scopes.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    readonly access?: Access;
  }
  interface FastifyRequest {
    identity: Identity | null;
  }
}

/** Rejects with `rate_limited` when the caller is over its limit. */
export type Throttle = (identity: Identity) => Promise<void>;

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
    const admit = (request: FastifyRequest, reply: FastifyReply): Identity => {
      const identity = authenticate(keyring, request);
      requireScope(identity, access);
      request.identity = identity;
      open.enter(identity.tenant, reply.raw);
      return identity;
    };
    route.onRequest =
      throttle === undefined
        ? (request, reply, done) => {
            admit(request, reply);
            done();
          }
        : async (request, reply) => throttle(admit(request, reply));
  });
}
