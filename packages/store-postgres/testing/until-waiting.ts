import type { Queries } from '../src/database/database.ts';

/** Until a transaction of this database waits for another one. */
export async function untilWaiting(queries: Queries): Promise<void> {
  while ((await queries.row(WAITING)) === undefined);
}

const WAITING = `
  SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
