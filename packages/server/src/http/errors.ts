import type { IncomingMessage } from 'node:http';
import { StoreUnavailableError } from '@baton/engine/ports';
import { BatonError, ERRORS, type ErrorBody, type ErrorCode } from '@baton/protocol';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { SECURITY_HEADERS } from './security-headers.ts';

/** Each failure is answered with an envelope and a code from the catalogue. Internal details are not sent. */

const FASTIFY_CODES: Readonly<Record<string, ErrorCode>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'payload_too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_INVALID_TYPE: 'unsupported_media_type',
  FST_ERR_MAX_PARAM_LENGTH: 'not_found',
};

/** Fastify's own message for this error repeats the address, which may hold a secret. */
const MALFORMED_ADDRESS =
  'The address cannot be read: it has an escape sequence such as %ZZ, or a host such as [::1 that is not complete.';

export function toBatonError(error: unknown): BatonError {
  if (error instanceof BatonError) return error;
  if (error instanceof StoreUnavailableError) return new BatonError('store_unavailable');
  if (!(error instanceof Error)) return new BatonError('internal_error');
  const { code, statusCode, message }: Partial<FastifyError> = error;
  const known = code === undefined ? undefined : FASTIFY_CODES[code];
  if (known !== undefined) return new BatonError(known);
  if (code === 'FST_ERR_BAD_URL') return new BatonError('validation_error', MALFORMED_ADDRESS);
  // Fastify writes these messages for the caller. Other messages may hold internal details and are not sent.
  if (code?.startsWith('FST_ERR_') && statusCode !== undefined && statusCode < 500) {
    return new BatonError('validation_error', message);
  }
  return new BatonError('internal_error');
}

export function sendError(error: BatonError, reply: FastifyReply): FastifyReply {
  if (error.code === 'unauthenticated') reply.header('www-authenticate', 'Bearer');
  if (error.retryable && error.code !== 'internal_error') {
    const seconds = error.details?.retryAfter;
    reply.header('retry-after', typeof seconds === 'number' ? seconds : 1);
  }
  return reply.code(error.status).type('application/json; charset=utf-8').send(JSON.stringify(error.body()));
}

export function errorHandler(log: Logger) {
  return (thrown: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    if (arrivedInPart(request)) {
      log.debug({ requestId: request.id, method: request.method, url: request.url }, CUT_OFF);
      sendError(new BatonError('validation_error', CUT_OFF), reply);
      return;
    }
    const error = toBatonError(thrown);
    if (error.code === 'internal_error') {
      log.error(
        { err: thrown, requestId: request.id, method: request.method, url: request.url },
        'request failed',
      );
      // A defect that the engine reported has a message for the caller. Other messages may hold internal details.
      const message = thrown instanceof BatonError ? thrown.message : undefined;
      sendError(new BatonError('internal_error', message, { correlationId: request.id }), reply);
      return;
    }
    if (error.code === 'run_unreadable') {
      log.error({ err: error.cause, runId: error.details?.runId }, 'the log of a run cannot be folded');
    }
    if (error.code === 'payload_too_large') dropRest(request.raw, () => sendError(error, reply));
    else sendError(error, reply);
  };
}

const CUT_OFF = 'The connection was closed before the whole body had arrived.';

/** True when the client closed the connection while it sent the body. This is no failure of the host. */
function arrivedInPart({ raw }: FastifyRequest): boolean {
  return raw.destroyed && !raw.complete;
}

/** Turns a refusal that the engine sent as data back into an error. */
export function refusal(body: ErrorBody): BatonError {
  const code = isErrorCode(body.error) ? body.error : 'internal_error';
  return new BatonError(code, body.message, body.details);
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERRORS, code);
}

/** A complete response with an error envelope, for connections on which no valid request was read. */
export function rawErrorResponse(status: string, error: BatonError): string {
  const body = JSON.stringify(error.body());
  const always = SECURITY_HEADERS.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const head = `HTTP/1.1 ${status}\r\n${always}Content-Type: application/json; charset=utf-8\r\n`;
  return `${head}Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`;
}

/**
 * A connection that is closed while bytes of it are unread is reset, and the client may lose the answer with them. So
 * the rest of a body that is too large is read and dropped before the answer, within these bounds.
 */
const MOST_BYTES = 64 * 1024 * 1024;
const LONGEST_MS = 2000;

/** Calls back once: after the end of the body, or at the bounds. */
export function dropRest(body: IncomingMessage, done: () => void): void {
  if (body.complete || body.destroyed) {
    done();
    return;
  }
  let dropped = 0;
  const count = (chunk: Buffer): void => {
    dropped += chunk.length;
    if (dropped > MOST_BYTES) finish();
  };
  const finish = (): void => {
    clearTimeout(timer);
    body.off('data', count).off('end', finish).off('close', finish).pause();
    done();
  };
  const timer = setTimeout(finish, LONGEST_MS);
  body.on('data', count).once('end', finish).once('close', finish).resume();
}
