import { createServer, type Socket } from 'node:net';
import pg from 'pg';
import { onTestFinished } from 'vitest';
import { AUTHENTICATED, messageReader, READY } from './wire.ts';

/** A session of Postgres, and the client that has it for the length of a transaction. */
interface Session {
  readonly socket: Socket;
  client: Socket | undefined;
  /** The client that had it before. */
  last?: Socket;
}

/** Which of the free sessions a client gets: the one that was freed last, the one that was freed first, or its own. */
type Order = 'newest' | 'oldest' | 'same';

/**
 * A pooler in transaction mode: a client has a session while it is within a transaction or a statement. Settings of a
 * connection are ignored. A notification for a session that nobody has is lost.
 */
export async function transactionPooler(url: string, order: Order): Promise<string> {
  const free: Session[] = [];
  const sockets = new Set<Socket>();

  async function newSession(): Promise<Session> {
    const driver = new pg.Client({ connectionString: url });
    driver.on('error', () => undefined);
    await driver.connect();
    const { stream: socket } = (driver as unknown as { connection: { stream: Socket } }).connection;
    socket.removeAllListeners('data');
    sockets.add(socket);
    const session: Session = { socket, client: undefined };
    const read = messageReader(false);
    socket.on('data', (data: Buffer) => {
      for (const { type, body, whole } of read(data)) {
        session.client?.write(whole);
        const isIdle = type === 'Z' && body.toString() === 'I';
        if (!isIdle || session.client === undefined) continue;
        session.client = undefined;
        free.push(session);
      }
    });
    return session;
  }

  async function sessionFor(client: Socket): Promise<Session> {
    const at = placeOf(free, order, client);
    const [session = await newSession()] = at === -1 ? [] : free.splice(at, 1);
    session.client = client;
    session.last = client;
    return session;
  }

  const pooler = createServer((client) => {
    sockets.add(client);
    client.on('error', () => undefined);
    const read = messageReader(true);
    let current: Session | undefined;
    let sending: Promise<void> = Promise.resolve();
    const send = async (whole: Buffer) => {
      if (current?.client !== client) current = await sessionFor(client);
      current.socket.write(whole);
    };
    client.on('data', (data: Buffer) => {
      for (const { type, whole } of read(data)) {
        if (type === '') client.write(Buffer.concat([AUTHENTICATED, READY]));
        else if (type !== 'X') sending = sending.then(() => send(whole));
      }
    });
  });
  await new Promise<void>((resolve) => pooler.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => pooler.close(resolve));
  });
  // Two sessions of earlier clients.
  free.push(await newSession(), await newSession());
  const own = new URL(url);
  own.port = String((pooler.address() as { port: number }).port);
  return own.href;
}

function placeOf(free: readonly Session[], order: Order, client: Socket): number {
  switch (order) {
    case 'newest':
      return free.length - 1;
    case 'oldest':
      return free.length === 0 ? -1 : 0;
    case 'same': {
      const own = free.findIndex(({ last }) => last === client);
      return own === -1 ? free.findIndex(({ last }) => last === undefined) : own;
    }
  }
}
