import type { Queries } from './database.ts';

/**
 * Waits until no other transaction has the lock of this name, and keeps it to the end of the transaction. For a count
 * of rows that no other host may change before a row is added.
 */
export async function lockName(queries: Queries, ...name: readonly string[]): Promise<void> {
  await queries.row('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', JSON.stringify(name));
}

/** Work that only one host does at a time. The numbers are chosen at random. */
const TURNS = { sign: 474_711, purge: 474_712 } as const;

/** Whether this transaction may do the work. False while another host does it: nobody waits. */
export async function hasTurn(queries: Queries, work: keyof typeof TURNS): Promise<boolean> {
  const turn = await queries.row<{ mine: boolean }>(
    'SELECT pg_try_advisory_xact_lock($1) AS mine',
    TURNS[work],
  );
  return turn?.mine === true;
}
