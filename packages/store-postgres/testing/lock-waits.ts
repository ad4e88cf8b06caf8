import type { Queries } from '../src/database/database.ts';

const WAITS = `
  SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database() LIMIT 1`;

/** Resolves when a statement waits for a lock of another transaction. */
export async function someoneWaits(queries: Queries): Promise<void> {
  while ((await queries.row(WAITS)) === undefined);
}

export async function nobodyWaits(queries: Queries): Promise<void> {
  while ((await queries.row(WAITS)) !== undefined);
}
