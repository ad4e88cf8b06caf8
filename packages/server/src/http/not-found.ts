import { BatonError } from '@baton/protocol';
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import { authenticate } from '../auth/bearer.ts';
import type { Keyring } from '../auth/keyring.ts';
import { sendError } from './errors.ts';

/** Addresses that lead nowhere, and methods that an address does not take. */

const METHODS: readonly HTTPMethods[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Under `/v1` a stranger is not told which addresses exist. */
export function refuseStrangers(keyring: Keyring, request: FastifyRequest): void {
  if (request.url.startsWith('/v1/')) request.identity = authenticate(keyring, request);
}

export function answerNotFound(app: FastifyInstance, keyring: Keyring): void {
  app.setNotFoundHandler((request: FastifyRequest, reply: FastifyReply) => {
    refuseStrangers(keyring, request);
    // The address is not repeated: it may hold anything, and outside of `/v1` it is not known whose secrets to hide.
    sendError(new BatonError('not_found', 'There is nothing at this address.'), reply);
  });
}

/** Call before the routes are added; gives the function to call after, which fills in the other methods. */
export function answerWrongMethods(app: FastifyInstance, keyring: Keyring): () => void {
  const taken = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ method, url }) => {
    const methods = taken.get(url) ?? new Set<string>();
    for (const one of [method].flat()) methods.add(one);
    taken.set(url, methods);
  });
  return () => {
    for (const [url, methods] of [...taken]) {
      const allow = [...methods].join(', ');
      app.route({
        method: METHODS.filter((method) => !methods.has(method)),
        url,
        config: { access: 'public' },
        onRequest: (request, reply) => {
          refuseStrangers(keyring, request);
          sendError(new BatonError('method_not_allowed'), reply.header('allow', allow));
        },
        handler: () => undefined,
      });
    }
  };
}
