import { isUtf8 } from 'node:buffer';
import { BatonError, mayBeIllFormed, requireWellFormed, storableJson } from '@baton/protocol';
import type { FastifyInstance } from 'fastify';
import { requireFewValues } from './body-shape.ts';
import type { FairSchedule } from './fair-schedule.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route reads the body itself. */
    readonly rawBody?: boolean;
  }
}

/**
 * Bodies are JSON or absent. Values that JSON.parse accepts but a log cannot hold (infinities, `__proto__`,
 * very deep nesting, half of a surrogate pair) are refused here, before any handler sees them.
 */
export function acceptJsonBodies(app: FastifyInstance, turns: FairSchedule): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    ['application/json', 'application/a2a+json'],
    { parseAs: 'buffer' },
    (request, body, done) => {
      if (request.routeOptions.config.rawBody) return done(null, ownBytes(body as Buffer));
      turns.take(request.identity?.tenant ?? '', () => {
        const read = readBody(body as Buffer);
        if (read instanceof Error) done(read);
        else done(null, read.value);
      });
    },
  );
}

const ENCODED = 'The body has a Content-Encoding, which this host does not decode; send it as plain JSON.';

/** Encoded bodies are refused before they are read. Otherwise a host behind a proxy could read other bytes than the proxy. */
export function refuseEncodedBodies(app: FastifyInstance): void {
  app.addHook('preParsing', (request, reply, _payload, done) => {
    const encoding = request.headers['content-encoding'];
    // The bodies of reads are ignored.
    if (encoding === undefined || encoding.trim().toLowerCase() === 'identity' || request.method === 'GET') {
      return done();
    }
    reply.header('accept-encoding', 'identity');
    done(new BatonError('unsupported_media_type', ENCODED));
  });
}

function readBody(body: Buffer): { readonly value: unknown } | Error {
  try {
    return { value: parseBody(body) };
  } catch (error) {
    return error instanceof Error ? error : new BatonError('invalid_json');
  }
}

function parseBody(body: Buffer): unknown {
  // Decoding would silently replace bytes that are not UTF-8 by other characters.
  if (!isUtf8(body)) throw new BatonError('invalid_json', 'The body is not valid UTF-8.');
  requireFewValues(body);
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
    return storableJson(value);
  } catch (error) {
    throw new BatonError('validation_error', `The body cannot be stored: ${reasonOf(error)}.`);
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Bytes in a buffer of their own, which can be sent to another thread. Large bodies already have one. */
function ownBytes(body: Buffer): Uint8Array {
  const { buffer, byteLength } = body;
  return buffer.byteLength === byteLength ? new Uint8Array(buffer) : new Uint8Array(body);
}
