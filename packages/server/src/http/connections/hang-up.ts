import type { Socket } from 'node:net';

/**
 * Sends a last answer and ends the connection. The other side has a moment to read the answer and to close; then
 * the connection is cut, because one that only ends its own half would stay open for as long as the other likes.
 */
export function hangUp(socket: Socket, answer: string, lingerMs: number): void {
  socket.end(answer);
  socket.resume();
  const cut = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(cut));
  socket.on('error', () => socket.destroy());
}
