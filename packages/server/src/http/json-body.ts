import { isUtf8 } from 'node:buffer';
import { BatonError, mayBeIllFormed, requireWellFormed, storableJson } from '@baton/protocol';
import type { FastifyInstance } from 'fastify';
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

/**
 * The time to read a body depends more on the number of its values than on its length. Four megabytes of one
 * text are read in milliseconds, four megabytes of `{},` in seconds. Values are therefore counted before the
 * body is parsed.
 */

/** How many values and how many levels of nesting a body may have. */
export const MAX_BODY_VALUES = 100_000;
const MAX_BODY_DEPTH = 100;
const TOO_MANY = `The body holds more than ${MAX_BODY_VALUES} values; send less at once.`;
const TOO_DEEP = `The body cannot be stored: it is nested more than ${MAX_BODY_DEPTH} levels deep.`;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** The meaning of each byte outside of texts. Bytes that do not matter for the count are 0. */
const MEANING = new Uint8Array(256);
const TEXT = 1;
const NEXT = 2;
const OPENING = 3;
const CLOSING = 4;
MEANING[QUOTE] = TEXT;
MEANING[0x2c] = NEXT;
for (const bracket of [0x5b, 0x7b]) MEANING[bracket] = OPENING;
for (const bracket of [0x5d, 0x7d]) MEANING[bracket] = CLOSING;

export function requireFewValues(body: Uint8Array): void {
  // A body this short can exceed neither bound: each value takes at least one byte, each level two brackets.
  if (body.length < MAX_BODY_VALUES && body.length < 2 * MAX_BODY_DEPTH) return;
  let values = 1;
  let depth = 0;
  for (let at = 0; at < body.length; at += 1) {
    const meaning = MEANING[body[at] as number];
    if (meaning === 0) continue;
    if (meaning === TEXT) at = endOfText(body, at);
    else if (meaning === CLOSING) depth -= 1;
    else {
      values += 1;
      if (meaning === OPENING) depth += 1;
      if (depth > MAX_BODY_DEPTH) throw new BatonError('validation_error', TOO_DEEP);
      if (values > MAX_BODY_VALUES) throw new BatonError('payload_too_large', TOO_MANY);
    }
  }
}

/** The index of the quote that ends the text which begins at `start`. */
function endOfText(body: Uint8Array, start: number): number {
  for (let at = body.indexOf(QUOTE, start + 1); at !== -1; at = body.indexOf(QUOTE, at + 1)) {
    let escapes = 0;
    while (body[at - 1 - escapes] === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return at;
  }
  return body.length;
}
