import pg from 'pg';
import { CONNECTION_SETTINGS } from '../database/connections.ts';

/** A connection with a session of its own, which is opened again when it was lost. */
interface LastingConnection {
  /** The open connection. Undefined while there is none. */
  client(): pg.Client | undefined;
  close(): Promise<void>;
}

interface LastingOptions {
  readonly url: string;
  readonly name: string;
  /** Called with each new connection. If it fails, the connection counts as lost. */
  readonly opened: (client: pg.Client) => Promise<void>;
  readonly lost: () => void;
}

const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 1000;

/** Resolves when the first connection is open, and rejects if it cannot be opened. */
export async function lastingConnection(options: LastingOptions): Promise<LastingConnection> {
  const { url, name, opened, lost } = options;
  let current: pg.Client | undefined;
  let closed = false;
  let waiting: NodeJS.Timeout | undefined;

  async function open(): Promise<void> {
    const client = new pg.Client({ ...CONNECTION_SETTINGS, connectionString: url, application_name: name });
    // A connection may tell of several errors. Without a listener, Node would end the process.
    client.on('error', () => drop(client));
    client.on('end', () => drop(client));
    try {
      await client.connect();
      await opened(client);
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
    if (closed) await client.end().catch(() => undefined);
    else current = client;
  }

  function drop(client: pg.Client): void {
    if (current !== client) return;
    current = undefined;
    client.end().catch(() => undefined);
    if (closed) return;
    lost();
    again(FIRST_WAIT_MS);
  }

  function again(wait: number): void {
    waiting = setTimeout(() => {
      if (closed) return;
      open().catch(() => again(Math.min(wait * 2, LONGEST_WAIT_MS)));
    }, wait);
  }

  await open();
  return {
    client: () => current,
    async close() {
      closed = true;
      clearTimeout(waiting);
      const client = current;
      current = undefined;
      await client?.end().catch(() => undefined);
    },
  };
}
