import { isUtf8 } from 'node:buffer';
import { BatonError, mayBeIllFormed, requireWellFormed, toJson } from '@baton/protocol';
import type { FastifyInstance } from 'fastify';

/**
 * Bodies are JSON or absent. What JSON.parse lets through and a log cannot hold (infinities, `__proto__`,
 * endless nesting, half of a character) is refused here, before any handler sees it.
 */
export function acceptJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => {
    try {
      done(null, parseBody(body));
    } catch (error) {
      done(error instanceof Error ? error : new BatonError('invalid_json'));
    }
  });
}

function parseBody(body: string | Buffer): unknown {
  // Read as text, bytes that are no UTF-8 would silently become other characters.
  if (typeof body !== 'string' && !isUtf8(body)) {
    throw new BatonError('invalid_json', 'The body is not valid UTF-8.');
  }
  const text = body.toString();
  if (text === '') return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new BatonError('invalid_json');
  }
  const json = storable(value);
  if (mayBeIllFormed(text)) requireWellFormed(json, 'The body');
  return json;
}

function storable(value: unknown): unknown {
  try {
    return toJson(value);
  } catch (error) {
    throw new BatonError('validation_error', `The body cannot be stored: ${reasonOf(error)}.`);
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
