import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply } from 'fastify';
import helmet from 'helmet';

/**
 * Helmet's headers for a host that serves data and no pages. They never change, so they are computed once and
 * added to every response.
 */
export const SECURITY_HEADERS: readonly (readonly [name: string, value: string])[] = constantHeaders();

export function addSecurityHeaders(app: FastifyInstance): void {
  app.addHook('onRequest', (_request, reply, done) => {
    setSecurityHeaders(reply);
    done();
  });
}

/** For answers to requests that reach no hook, such as those with a malformed address. */
export function setSecurityHeaders({ raw }: Pick<FastifyReply, 'raw'>): void {
  for (const [name, value] of SECURITY_HEADERS) raw.setHeader(name, value);
}

function constantHeaders(): readonly (readonly [string, string])[] {
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(request);
  const middleware = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    },
    // Which sites may read the answers is decided by the CORS allow-list.
    crossOriginResourcePolicy: { policy: 'cross-origin' },
    crossOriginOpenerPolicy: false,
    originAgentCluster: false,
    xDnsPrefetchControl: false,
    xDownloadOptions: false,
    xFrameOptions: false,
    xPermittedCrossDomainPolicies: false,
    xXssProtection: false,
  });
  middleware(request, response, () => undefined);
  return Object.entries(response.getHeaders()).map(([name, value]) => [name, String(value)] as const);
}
