import type { OpenVault } from '@baton/engine';
import type { Json } from '@baton/protocol';
import type { FastifyInstance } from 'fastify';

/** No answer repeats a secret of its caller's tenant, be it an error or a definition that was written long ago. */
export function redactAnswers(app: FastifyInstance, vault: OpenVault): void {
  if (vault.everyRedactor === undefined) return;
  app.addHook('onSend', (request, _reply, payload, done) => {
    const redactor = request.identity ? vault.redactor(request.identity.tenant) : undefined;
    if (redactor === undefined || typeof payload !== 'string' || redactor.redactText(payload) === payload) {
      done(null, payload);
      return;
    }
    done(null, redacted(payload));

    function redacted(text: string): string {
      try {
        return JSON.stringify(redactor?.redactJson(JSON.parse(text) as Json));
      } catch {
        return redactor?.redactText(text) ?? text;
      }
    }
  });
}
