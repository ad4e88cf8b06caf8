import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';

/** Headers that the CORS plugin sets on the Fastify reply. Other headers are already on the raw response. */
const CORS_HEADERS = ['vary', 'access-control-allow-origin', 'access-control-expose-headers'];

/**
 * Takes a reply away from Fastify, for answers that are written in parts. The head leaves with the first
 * write, so an answer that is written at once is one packet with a known length.
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
