import type { Store } from '@baton/engine/ports';
import type { Database } from '../database/database.ts';
import { atomically, transaction } from '../database/transaction.ts';
import { entryRemover } from '../memory/entry-remover.ts';

/** Removes the rows of unfinished imports, in small batches. */
export function arrivingDropper(database: Database): Pick<Store, 'arriving' | 'dropArriving'> {
  const own = transaction(database);
  const tenants = database.prepare<{ tenant: string }>(TENANTS);
  // Done first, so that an audit does not report the removed events as missing.
  const markPurged = database.prepare(MARK_PURGED);
  const events = database.prepare(EVENTS);
  const checkpoints = database.prepare(CHECKPOINTS);
  const entries = database.prepare<{ entryNo: number }>(ENTRIES);
  const removeEntry = entryRemover(database);
  const scopes = database.prepare('DELETE FROM scopes WHERE tenant = ?');
  const usage = database.prepare('DELETE FROM tenant_usage WHERE tenant = ?');
  const settle = database.prepare('UPDATE runs SET arriving = NULL WHERE tenant = ? AND arriving = 1');

  function drop(waiting: string, limit: number): number {
    markPurged.run(waiting);
    const gone = events.run(waiting, limit).changes || checkpoints.run(waiting, limit).changes;
    if (gone > 0) return gone;
    const found = entries.all(waiting, limit);
    for (const { entryNo } of found) removeEntry(entryNo);
    if (found.length > 0) return found.length;
    scopes.run(waiting);
    usage.run(waiting);
    return settle.run(waiting).changes;
  }

  return {
    arriving: async () => tenants.all().map(({ tenant }) => tenant),
    dropArriving: async (waiting, limit) => atomically(own, () => drop(waiting, limit)),
  };
}

const TENANTS = 'SELECT DISTINCT tenant FROM runs INDEXED BY runs_arriving WHERE arriving = 1';

const MARK_PURGED = `
  UPDATE runs SET purged_at = updated_at, status = 'cancelled', listed = NULL
  WHERE tenant = ? AND arriving = 1 AND purged_at IS NULL`;

const OF_IMPORT = 'SELECT run_no FROM runs INDEXED BY runs_arriving WHERE tenant = ? AND arriving = 1';

const EVENTS = `
  DELETE FROM events WHERE pos IN (SELECT pos FROM events WHERE run_no IN (${OF_IMPORT}) LIMIT ?)`;

const CHECKPOINTS = `
  DELETE FROM checkpoints WHERE (run_no, seq) IN (
    SELECT run_no, seq FROM checkpoints WHERE run_no IN (${OF_IMPORT}) LIMIT ?)`;

const ENTRIES = `
  SELECT entry_no AS entryNo FROM entries
  WHERE scope_no IN (SELECT scope_no FROM scopes WHERE tenant = ?) LIMIT ?`;
