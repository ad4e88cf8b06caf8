import type { OpenVault } from '@baton/engine';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Telling } from './told.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Whose question a signed link leads to, where the caller has no key. */
    linkTenant: string | null;
  }
}

/** No answer repeats a secret of its caller's tenant, be it an error or a definition that was written long ago. */
export function redactAnswers(app: FastifyInstance, vault: OpenVault, telling: Telling): void {
  app.decorateRequest('linkTenant', null);
  if (vault.everyRedactor === undefined) return;
  app.addHook('onSend', (request, _reply, payload, done) => {
    const tenant = tenantOf(request);
    const isText = typeof payload === 'string';
    done(null, tenant !== null && isText ? telling.json(tenant, payload) : payload);
  });
}

function tenantOf({ identity, linkTenant }: FastifyRequest): string | null {
  return identity?.tenant ?? linkTenant;
}
