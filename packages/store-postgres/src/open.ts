import { type Store, type StoreReads, StoreUnavailableError } from '@baton/engine/ports';
import { connectTo, SHORT_STATEMENTS } from './database/connections.ts';
import type { Database } from './database/database.ts';
import { codeOf } from './database/faults.ts';
import { requireSafeServer } from './database/safe-server.ts';
import { postgresReads } from './reads.ts';
import { migrate, requireNewestSchema } from './schema/migrate.ts';
import { selfOf } from './self.ts';
import { postgresStore } from './store.ts';

/** Connections for each use. A host has one store, one reader, its tick and its feed. */
const STORE_CONNECTIONS = 6;
const READ_CONNECTIONS = 6;

/** The database without its password, for messages. */
export function nameOfDatabase(url: string): string {
  try {
    const { hostname, port, pathname } = new URL(url);
    return `postgres://${hostname}${port === '' ? '' : `:${port}`}${pathname}`;
  } catch {
    return 'the database';
  }
}

/** Creates the tables of an empty database, or brings them up to date. Refuses a server that is not safe. */
export async function prepareDatabase(url: string): Promise<void> {
  await requireSafeServer(url).catch((error) => {
    throw explained(error, url);
  });
  await using(url, async (database) => {
    await migrate(database, nameOfDatabase(url));
    await database.run(GO_ON);
  });
}

/**
 * Positions of events are made of transaction numbers, which begin anew in another server. A database that was restored
 * there goes on behind the positions that it has.
 */
const GO_ON = `
  UPDATE host SET xid_offset = needed.xid_offset
  FROM (SELECT greatest(
      (SELECT max(xid) FROM commits), (SELECT max(position) / 8192 FROM webhooks)
    ) + 1 - pg_current_xact_id()::text::bigint AS xid_offset) AS needed
  WHERE needed.xid_offset > host.xid_offset`;

/** A host that starts says what to do. One that runs waits until Postgres is back. */
function explained(error: unknown, url: string): unknown {
  if (!(error instanceof StoreUnavailableError)) return error;
  const { cause } = error;
  const reason = cause instanceof Error && cause.message !== '' ? cause.message : String(codeOf(cause));
  const message = `${nameOfDatabase(url)} cannot be reached (${reason}): start Postgres, or correct BATON_DATABASE_URL`;
  return Object.assign(new StoreUnavailableError(cause), { message });
}

/** Does something with a few connections, and closes them. */
export async function using<T>(url: string, work: (database: Database) => Promise<T>): Promise<T> {
  const database = connectTo({ url, most: 2, name: 'baton' });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/** Opens the store of a host, after `prepareDatabase`. `hostNo` is its number among the hosts. */
export async function openPostgresStore(url: string, hostNo: number): Promise<Store> {
  const database = connectTo({
    ...{ url, most: STORE_CONNECTIONS, name: 'baton store' },
    times: SHORT_STATEMENTS,
  });
  return closedOnFailure(database, () => postgresStore(database, url, selfOf(hostNo)));
}

/** Opens a reader. There may be any number of them. Without a number it is no host, and claims nothing. */
export async function openPostgresReads(url: string, hostNo = 0): Promise<StoreReads> {
  const database = connectTo({ url, most: READ_CONNECTIONS, name: 'baton reads' });
  return closedOnFailure(database, async () => {
    await requireNewestSchema(database, nameOfDatabase(url));
    return postgresReads(database, selfOf(hostNo));
  });
}

async function closedOnFailure<T>(database: Database, open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    await database.close();
    throw error;
  }
}
