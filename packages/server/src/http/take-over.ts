import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';

/** What the CORS rules have put on a reply; everything else is on the response already. */
const CORS_HEADERS = ['vary', 'access-control-allow-origin', 'access-control-expose-headers'];

/**
 * Takes a reply out of Fastify's hands, for answers that are written as they come. The head leaves with the
 * first write, so an answer that is written at once is one packet with its length known.
 */
export function takeOver(reply: FastifyReply, headers: Readonly<Record<string, string>>): ServerResponse {
  reply.hijack();
  const response = reply.raw;
  // An error on one connection, such as a write to a client that has left, must not end the process.
  response.on('error', () => response.destroy());
  for (const name of CORS_HEADERS) {
    const value = reply.getHeader(name);
    if (value !== undefined) response.setHeader(name, value);
  }
  for (const name in headers) response.setHeader(name, headers[name] ?? '');
  return response;
}
