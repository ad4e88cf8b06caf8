import { createHash } from 'node:crypto';
import type { Idempotency } from '@baton/engine';
import { BatonError, canonicalJson, type Json } from '@baton/protocol';
import type { FastifyRequest } from 'fastify';

const VISIBLE = /^[\x21-\x7e]{1,255}$/;

/** The caller's key with a digest of its request, or `undefined` when the caller gave no key. */
export function idempotencyOf(request: FastifyRequest): Idempotency | undefined {
  const key = idempotencyKeyOf(request);
  return key === undefined ? undefined : { key, request: requestDigest(request) };
}

function idempotencyKeyOf(request: FastifyRequest): string | undefined {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || !VISIBLE.test(key)) {
    throw new BatonError('validation_error', 'Idempotency-Key must be 1 to 255 visible characters.', {
      field: 'Idempotency-Key',
    });
  }
  return key;
}

function requestDigest(request: FastifyRequest): string {
  const digest = createHash('sha256').update(`${request.method} ${request.url}\n`);
  if (request.body !== undefined) digest.update(canonicalJson(request.body as Json));
  return digest.digest('hex');
}
