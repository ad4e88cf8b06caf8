import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import type { TestHost } from './host.ts';

/** A connection that never closes its own half, and what came back over it. */
interface RawConnection {
  readonly socket: Socket;
  received(): string;
  /** Resolves when the host has cut the connection or ended it for good. */
  readonly cut: Promise<void>;
  /** Resolves when so much text has come back. */
  has(text: string): Promise<void>;
}

export async function openRaw(host: Pick<TestHost, 'url'>, sent = ''): Promise<RawConnection> {
  const { hostname, port } = new URL(host.url);
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  let text = '';
  const looking = new Set<() => void>();
  socket.on('error', () => undefined);
  socket.on('data', (chunk) => {
    text += chunk;
    for (const look of looking) look();
  });
  const cut = new Promise<void>((resolve) => {
    // A host that only ends its half leaves the connection open: the next write still succeeds.
    socket.once('close', () => resolve());
    socket.once('end', () => probeUntilReset(socket));
  });
  await new Promise<void>((resolve) => socket.once('connect', () => resolve()));
  if (sent !== '') socket.write(sent);
  return {
    socket,
    received: () => text,
    cut,
    has: (part) =>
      new Promise((resolve) => {
        const look = () => {
          if (!text.includes(part)) return;
          looking.delete(look);
          resolve();
        };
        looking.add(look);
        look();
      }),
  };
}

/** Writes now and then: the other side answers with a reset once it has let go of the connection. */
function probeUntilReset(socket: Socket): void {
  const timer = setInterval(() => socket.write('x'), 20);
  socket.once('close', () => clearInterval(timer));
}

export function requestText(method: string, path: string, key: string, more = ''): string {
  return `${method} ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n${more}\r\n`;
}
