import type { Queries } from './database.ts';

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
