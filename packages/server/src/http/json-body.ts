import { BatonError, toJson } from '@baton/protocol';
import type { FastifyInstance } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route reads the body itself. */
    readonly rawBody?: boolean;
  }
}

/**
 * Bodies are JSON or absent. What JSON.parse lets through and a log cannot hold (infinities, `__proto__`,
 * endless nesting) is refused here, before any handler sees it.
 */
export function acceptJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    if (request.routeOptions.config.rawBody) return done(null, ownBytes(body as Buffer));
    try {
      done(null, parseBody(body.toString()));
    } catch (error) {
      done(error instanceof Error ? error : new BatonError('invalid_json'));
    }
  });
}

function parseBody(text: string): unknown {
  if (text === '') return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new BatonError('invalid_json');
  }
  try {
    return toJson(value);
  } catch (error) {
    throw new BatonError('validation_error', `The body cannot be stored: ${reasonOf(error)}.`);
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** With memory of their own, which can be handed to another thread; large bodies have it already. */
function ownBytes(body: Buffer): Uint8Array {
  const { buffer, byteLength } = body;
  return buffer.byteLength === byteLength ? new Uint8Array(buffer) : new Uint8Array(body);
}
