import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Telling } from './told.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The tenant of a signed link, when the caller has no key. */
    linkTenant: string | null;
  }
}

/** Removes the secrets of the caller's tenant from every answer, including errors and old definitions. */
export function redactAnswers(app: FastifyInstance, telling: Telling): void {
  app.decorateRequest('linkTenant', null);
  app.addHook('onSend', (request, _reply, payload, done) => {
    const tenant = tenantOf(request);
    const isText = typeof payload === 'string';
    done(null, tenant !== null && isText ? telling.json(tenant, payload) : payload);
  });
}

function tenantOf({ identity, linkTenant }: FastifyRequest): string | null {
  return identity?.tenant ?? linkTenant;
}
