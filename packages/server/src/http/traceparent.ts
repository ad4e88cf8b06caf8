import { formatTraceparent, parseTraceparent } from '@baton/protocol';
import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * The caller's W3C trace context, repeated in the answer. A malformed one is ignored, as the standard
 * requires.
 */
export function traceparentOf(request: FastifyRequest, reply: FastifyReply): string | undefined {
  const given = request.headers.traceparent;
  const read = typeof given === 'string' ? parseTraceparent(given) : undefined;
  if (read === undefined) return undefined;
  reply.header('traceparent', given);
  return formatTraceparent(read);
}
