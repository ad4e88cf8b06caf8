import { authorize } from '@baton/engine';
import { identityOf, type Routes, rolesOf } from '@baton/server/extension';
import type { FastifyRequest } from 'fastify';
import Type from 'typebox';

/** Asking what somebody may do, by the roles of the keys they hold. */

const Question = Type.Object({
  principal: Type.String({ minLength: 1, maxLength: 256 }),
  action: Type.String({ minLength: 1, maxLength: 256 }),
  resource: Type.String({ minLength: 1, maxLength: 256 }),
});

type DecideRequest = FastifyRequest<{ Body: Type.Static<typeof Question> }>;

export const authorizationSeam: Routes = (app, { reads }) => {
  app.post(
    '/v1/host/sample/authorization/decide',
    { schema: { body: Question }, config: { access: 'audit:read' } },
    async (request: DecideRequest) =>
      authorize(request.body, await rolesOf(reads, identityOf(request).tenant)),
  );
};
