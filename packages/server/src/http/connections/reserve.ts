import { BatonError } from '@baton/protocol';
import type { FastifyInstance } from 'fastify';
import { sendError } from '../errors.ts';
import type { Admission } from './admission.ts';

const HEALTH = new Set(['/healthz', '/readyz']);

/** A connection of the reserve may only ask for health, and is closed after one answer. */
export function keepReserveForHealth(app: FastifyInstance, admission: Admission): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (admission.isFullyAdmitted(request.raw.socket)) return done();
    reply.header('connection', 'close');
    if (HEALTH.has(request.url)) return done();
    sendError(
      new BatonError('overloaded', 'All connections of the host are in use; try again shortly.'),
      reply,
    );
  });
}
