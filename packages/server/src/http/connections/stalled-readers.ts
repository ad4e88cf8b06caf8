import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { ConnectionPatience } from './limits.ts';

interface Stall {
  readonly bytes: number;
  readonly since: number;
}

/**
 * Cuts connections whose reader leaves the data of one write untaken for too long: what was written for it stays
 * in memory until then. A stream that only waits for news has nothing untaken and stays.
 */
export function cutStalledReaders(
  server: Server,
  { readerMs, checkEveryMs }: Pick<ConnectionPatience, 'readerMs' | 'checkEveryMs'>,
  now: () => number,
): void {
  const connections = new Set<Socket>();
  const stalls = new Map<Socket, Stall>();
  server.on('connection', (socket: Socket) => {
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
