import type { FastifyInstance } from 'fastify';
import type { FairSchedule } from './fair-schedule.ts';

/**
 * Makes requests without a body wait for their tenant. Requests with a body waited before the body was
 * parsed.
 */
export function scheduleRequests(app: FastifyInstance, turns: FairSchedule): void {
  app.addHook('preValidation', (request, reply, done) => {
    if (request.identity === null || request.body !== undefined) return done();
    turns.take(request.identity.tenant, () => {
      // The client has gone, so no answer is needed.
      if (!reply.raw.destroyed) done();
    });
  });
}
