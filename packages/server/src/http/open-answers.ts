import { BatonError } from '@baton/protocol';
import type { FastifyInstance, onSendHookHandler } from 'fastify';

/**
 * Answers that were made and that their readers have not taken yet are held in memory. A tenant whose readers take
 * nothing may have so much of them and no more; small answers are not worth counting. Only reads answer with much.
 */
const COUNTED_FROM = 64 * 1024;
export const MOST_OF_A_TENANT = 64 * 1024 * 1024;

export function boundOpenAnswers(app: FastifyInstance, most = MOST_OF_A_TENANT): void {
  const open = new Map<string, number>();
  const bound: onSendHookHandler = (request, reply, payload, done) => {
    const length = typeof payload === 'string' ? payload.length : 0;
    const tenant = request.identity?.tenant;
    if (length < COUNTED_FROM || tenant === undefined) return done(null, payload);
    const held = open.get(tenant) ?? 0;
    if (held + length > most && held > 0) {
      const error = new BatonError('too_many_reads');
      reply.code(error.status).header('retry-after', 1).removeHeader('etag');
      return done(null, JSON.stringify(error.body()));
    }
    open.set(tenant, held + length);
    reply.raw.once('close', () => {
      const left = (open.get(tenant) ?? length) - length;
      if (left <= 0) open.delete(tenant);
      else open.set(tenant, left);
    });
    return done(null, payload);
  };
  app.addHook('onRoute', (route) => {
    if (route.method === 'GET') route.onSend = [route.onSend ?? [], bound].flat();
  });
}
