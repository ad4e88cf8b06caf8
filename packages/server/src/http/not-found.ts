import { BatonError } from '@baton/protocol';
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import { authenticate } from '../auth/bearer.ts';
import type { Keyring } from '../auth/keyring.ts';
import type { ServeConsole } from '../console/serve-console.ts';
import { sendError } from './errors.ts';

/** Answers for unknown addresses, and for methods that an address does not support. */

const METHODS: readonly HTTPMethods[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Under `/v1`, a caller without a valid key is not told which addresses exist. */
export async function refuseStrangers(keyring: Keyring, request: FastifyRequest): Promise<void> {
  if (request.url.startsWith('/v1/')) request.identity = await authenticate(keyring, request);
}

/** An address that is no route may be a page or a file of the console, if the host has one. */
export function answerNotFound(
  app: FastifyInstance,
  keyring: Keyring,
  serveConsole: ServeConsole = async () => false,
): void {
  app.setNotFoundHandler(async (request: FastifyRequest, reply: FastifyReply) => {
    if (await serveConsole(request, reply)) return reply;
    await refuseStrangers(keyring, request);
    // The answer does not repeat the address: it may hold a secret, and outside of `/v1` the tenant
    // is unknown.
    return sendError(new BatonError('not_found', 'This address does not exist.'), reply);
  });
}

/** Call this before the routes are added, and its result after them. The result adds the missing methods. */
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
        onRequest: async (request, reply) => {
          await refuseStrangers(keyring, request);
          return sendError(new BatonError('method_not_allowed'), reply.header('allow', allow));
        },
        handler: () => undefined,
      });
    }
  };
}
