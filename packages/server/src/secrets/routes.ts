import { CONTRACTS, MAX_SECRET_CHARACTERS } from '@baton/protocol';
import { callerOf, identityOf } from '../auth/bearer.ts';
import { bind } from '../http/bind.ts';
import type { Routes } from '../http/context.ts';

/** Sets, lists and deletes the secrets of a tenant, and rotates the key that encrypts them. */

/** Escaped, a character takes at most six bytes. */
const BODY_LIMIT = MAX_SECRET_CHARACTERS * 8;

export const secretRoutes: Routes = (app, { secrets }) => {
  bind(app, CONTRACTS.listSecrets, async (request) => ({
    secrets: await secrets.list(identityOf(request).tenant),
  }));

  bind(
    app,
    CONTRACTS.putSecret,
    (request) => secrets.put(callerOf(request), request.params.name, request.body.value),
    { bodyLimit: BODY_LIMIT },
  );

  bind(app, CONTRACTS.deleteSecret, async (request, reply) => {
    await secrets.delete(callerOf(request), request.params.name);
    return reply.code(204).send();
  });

  bind(app, CONTRACTS.rotateSecrets, () => secrets.rotate());
};
