import type { Socket } from 'node:net';

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
