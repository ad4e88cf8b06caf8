import type { Queries } from './database.ts';

/**
 * Waits until no other transaction has the lock of this name, and keeps it to the end of the transaction. For a count
 * of rows that no other host may change before a row is added.
 */
export async function lockName(queries: Queries, ...name: readonly string[]): Promise<void> {
  await queries.row('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', JSON.stringify(name));
}
