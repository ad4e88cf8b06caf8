import pg from 'pg';
import { CONNECTION_SETTINGS } from './connections.ts';
import { failureAfterTries, isRepeatable } from './faults.ts';

/** The advisory lock of work that one host does at a time. The number is chosen at random. */
const ALONE = 474_713;
/** Postgres waits for a lock for two seconds. A rotation of very many secrets takes longer. */
const TRIES = 60;

/**
 * Does the work while no other host of the database does work with this function. The lock belongs to a session of its
 * own, which ends with the work. If the session is lost meanwhile, the outcome of the work counts all the same.
 */
export async function aloneIn<T>(url: string, work: () => Promise<T>): Promise<T> {
  const client = new pg.Client({
    ...CONNECTION_SETTINGS,
    connectionString: url,
    application_name: 'baton alone',
  });
  client.on('error', () => undefined);
  try {
    await lock(client);
  } catch (error) {
    await client.end().catch(() => undefined);
    throw failureAfterTries(error);
  }
  try {
    return await work();
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function lock(client: pg.Client): Promise<void> {
  await client.connect();
  for (let tries = 1; ; tries += 1) {
    try {
      await client.query('SELECT pg_advisory_lock($1)', [ALONE]);
      return;
    } catch (error) {
      if (tries === TRIES || !isRepeatable(error)) throw error;
    }
  }
}
