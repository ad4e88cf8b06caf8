import { createHash } from 'node:crypto';
import type { OpenVault } from '@baton/engine';
import type { FastifyInstance } from 'fastify';

const KEY = 'idempotency-key';

/**
 * Idempotency keys are stored with their replies. A key that holds a secret is replaced by its digest, which
 * finds the same reply and does not reveal the secret.
 */
export function hideSecretKeys(app: FastifyInstance, vault: OpenVault): void {
  app.addHook('preValidation', (request, _reply, done) => {
    const key = request.headers[KEY];
    const tenant = request.identity?.tenant ?? request.linkTenant;
    const redactor = tenant === null ? undefined : vault.redactor(tenant);
    if (typeof key === 'string' && redactor !== undefined && redactor.redactText(key) !== key) {
      request.headers[KEY] = `sha256:${createHash('sha256').update(key).digest('hex')}`;
    }
    done();
  });
}
