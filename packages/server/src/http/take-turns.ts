import type { FastifyInstance } from 'fastify';
import type { Turns } from './turns.ts';

/** Requests without a body wait for their turn before they are answered; the others did before it was read. */
export function takeTurns(app: FastifyInstance, turns: Turns): void {
  app.addHook('preValidation', (request, reply, done) => {
    if (request.identity === null || request.body !== undefined) return done();
    turns.take(request.identity.tenant, () => {
      // Nobody is there any more to take the answer.
      if (!reply.raw.destroyed) done();
    });
  });
}
