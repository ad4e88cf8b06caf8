import type { Store } from '@baton/engine/ports';
import type { Database, Queries } from '../database/database.ts';
import { removingEntries } from '../memory/entry-remover.ts';

/** Removes the rows of unfinished imports, in small batches. */
export function arrivingDropper(database: Database): Pick<Store, 'arriving' | 'dropArriving'> {
  return {
    async arriving() {
      return (await database.rows<{ tenant: string }>(TENANTS)).map(({ tenant }) => tenant);
    },
    dropArriving: (waiting, limit) => database.transaction((queries) => drop(queries, waiting, limit)),
  };
}

async function drop(queries: Queries, waiting: string, limit: number): Promise<number> {
  // Done first, so that an audit does not report the removed events as missing.
  await queries.run(MARK_PURGED, waiting);
  for (const removal of [EVENTS, CHECKPOINTS, ENTRIES]) {
    const removed = await queries.run(removal, waiting, limit);
    if (removed > 0) return removed;
  }
  const [, , settled] = await Promise.all([
    queries.run('DELETE FROM scopes WHERE tenant = $1', waiting),
    queries.run('DELETE FROM tenant_usage WHERE tenant = $1', waiting),
    queries.run('UPDATE runs SET arriving = NULL WHERE tenant = $1 AND arriving', waiting),
  ]);
  return settled;
}

/** Not those that a host at work is carrying out. */
const TENANTS = `
  SELECT DISTINCT tenant FROM runs
  WHERE arriving AND NOT EXISTS (SELECT FROM hosts WHERE hosts.host_no = runs.keeper)`;

const MARK_PURGED = `
  UPDATE runs SET purged_at = updated_at, status = 'cancelled', listed = NULL
  WHERE tenant = $1 AND arriving AND purged_at IS NULL`;

const OF_IMPORT = 'SELECT run_no FROM runs WHERE tenant = $1 AND arriving';

const EVENTS = `
  DELETE FROM events WHERE (run_no, seq) IN (
    SELECT run_no, seq FROM events WHERE run_no IN (${OF_IMPORT}) LIMIT $2)`;

const CHECKPOINTS = `
  DELETE FROM checkpoints WHERE (run_no, seq) IN (
    SELECT run_no, seq FROM checkpoints WHERE run_no IN (${OF_IMPORT}) LIMIT $2)`;

const ENTRIES = removingEntries(
  'SELECT entry_no FROM entries WHERE scope_no IN (SELECT scope_no FROM scopes WHERE tenant = $1) LIMIT $2',
  'SELECT entry_no FROM removed',
);
