import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { readyEvent } from './carriers.ts';
import type { ConnectionPatience } from './limits.ts';

interface Stall {
  readonly bytes: number;
  readonly since: number;
}

/**
 * Cuts connections whose client leaves the data of one write unread for too long, because this data stays in
 * memory. A stream without new events has no unread data and is not cut.
 */
export function cutStalledReaders(
  server: Server,
  { readerMs, checkEveryMs }: Pick<ConnectionPatience, 'readerMs' | 'checkEveryMs'>,
  now: () => number,
): void {
  const connections = new Set<Socket>();
  const stalls = new Map<Socket, Stall>();
  server.on(readyEvent(server), (socket: Socket) => {
    connections.add(socket);
    socket.once('close', () => {
      connections.delete(socket);
      stalls.delete(socket);
    });
  });

  function look(socket: Socket): void {
    const bytes = socket.bytesWritten;
    const stall = stalls.get(socket);
    if (!socket.writableNeedDrain) stalls.delete(socket);
    else if (stall?.bytes !== bytes) stalls.set(socket, { bytes, since: now() });
    else if (now() - stall.since >= readerMs) socket.destroy();
  }

  const timer = setInterval(() => {
    for (const socket of connections) look(socket);
  }, checkEveryMs).unref();
  server.once('close', () => clearInterval(timer));
}
