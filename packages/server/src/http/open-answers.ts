import { BatonError } from '@baton/protocol';
import type { FastifyInstance, onSendHookHandler, preHandlerHookHandler } from 'fastify';

/**
 * Answers that their readers have not taken yet are held in memory. Their total size is bounded for each tenant.
 * Small answers are not counted. Only GET routes are counted, because only they have large answers.
 */
const COUNTED_FROM = 64 * 1024;
const MOST_OF_A_TENANT = 64 * 1024 * 1024;

interface OpenAnswers {
  characters: number;
  /** Set when an answer was refused: while more than this is open, further reads are refused before they are made. */
  refusedAbove?: number;
}

export function boundOpenAnswers(app: FastifyInstance, most = MOST_OF_A_TENANT): void {
  const open = new Map<string, OpenAnswers>();

  const refuseEarly: preHandlerHookHandler = (request, _reply, done) => {
    const answers = open.get(request.identity?.tenant ?? '');
    if (answers?.refusedAbove === undefined || answers.characters <= answers.refusedAbove) return done();
    done(new BatonError('too_many_reads'));
  };

  const bound: onSendHookHandler = (request, reply, payload, done) => {
    const length = typeof payload === 'string' ? payload.length : 0;
    const tenant = request.identity?.tenant;
    if (length < COUNTED_FROM || tenant === undefined) return done(null, payload);
    const answers = open.get(tenant) ?? { characters: 0 };
    if (answers.characters + length > most && answers.characters > 0) {
      answers.refusedAbove = most - length;
      const error = new BatonError('too_many_reads');
      reply.code(error.status).header('retry-after', 1).removeHeader('etag');
      return done(null, JSON.stringify(error.body()));
    }
    answers.characters += length;
    open.set(tenant, answers);
    reply.raw.once('close', () => {
      answers.characters -= length;
      if (answers.characters === 0) open.delete(tenant);
    });
    return done(null, payload);
  };

  app.addHook('onRoute', (route) => {
    if (route.method !== 'GET') return;
    route.preHandler = [route.preHandler ?? [], refuseEarly].flat();
    route.onSend = [route.onSend ?? [], bound].flat();
  });
}
