import type { Socket } from 'node:net';
import { BatonError } from '@baton/protocol';
import { rawErrorResponse } from '../errors.ts';

const NOT_HTTP = new BatonError('validation_error', 'This is not a valid HTTP request.');
const TOO_LATE = new BatonError('request_timeout');

/** Ends connections that sent no valid HTTP, or not in time, without waiting for the client to close them. */
export function endBadConnections(
  { isAnswering }: { isAnswering(socket: Socket): boolean },
  lingerMs: number,
) {
  return (error: Error & { readonly code?: string }, socket: Socket): void => {
    if (!socket.writable || isAnswering(socket)) socket.destroy();
    else hangUp(socket, answerTo(error.code), lingerMs);
  };
}

function answerTo(code: string | undefined): string {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return rawErrorResponse('431 Request Header Fields Too Large', NOT_HTTP);
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return rawErrorResponse('408 Request Timeout', TOO_LATE);
    default:
      return rawErrorResponse('400 Bad Request', NOT_HTTP);
  }
}

/**
 * Sends a last answer and ends the connection. The client has a moment to read the answer and to close. Then
 * the connection is cut, because a client could otherwise keep its half open for ever.
 */
export function hangUp(socket: Socket, answer: string, lingerMs: number): void {
  socket.end(answer);
  socket.resume();
  const cut = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(cut));
  socket.on('error', () => socket.destroy());
}
