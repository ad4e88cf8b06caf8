import type { FastifyReply, FastifyRequest } from 'fastify';

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/**
 * The caller's W3C trace context, repeated in the answer. A malformed one is ignored, as the standard
 * requires.
 */
export function traceparentOf(request: FastifyRequest, reply: FastifyReply): string | undefined {
  const given = request.headers.traceparent;
  if (typeof given !== 'string' || !TRACEPARENT.test(given)) return undefined;
  reply.header('traceparent', given);
  return given;
}
