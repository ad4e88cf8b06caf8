import { type Columns, type InterruptRecord, type ListedRun, present } from '@baton/engine/ports';
import { isTerminal, MOST_WAITS_LISTED } from '@baton/protocol';
import type { Database } from '../database/database.ts';
import { type RunColumns, toRunRow } from './run-row.ts';

/** How many runs of a tree that have not ended are looked at. */
const MOST_RUNS = 1000;

/**
 * Adds to each run the open interrupts of the run and its descendants. Each tree is read once, and only its runs that
 * have not ended.
 */
export function waitLister(database: Database): (rows: readonly RunColumns[]) => readonly ListedRun[] {
  const waiting = database.prepare<Columns<InterruptRecord>>(WAITING);

  return (rows) => {
    const trees = new Map<string, readonly InterruptRecord[]>();
    const waitsIn = (rootId: string): readonly InterruptRecord[] => {
      const waits =
        trees.get(rootId) ??
        waiting
          .all(rootId, MOST_RUNS)
          .map((row) => present<InterruptRecord>(row))
          .toSorted(byAge);
      trees.set(rootId, waits);
      return waits;
    };
    return rows.map((row) => {
      const listed = toRunRow(row);
      if (isTerminal(row.status)) return listed;
      const waits = waitsIn(row.rootId).filter(({ runId }) => isWithin(runId, row.runId));
      return waits.length === 0 ? listed : { ...listed, waits: waits.slice(0, MOST_WAITS_LISTED) };
    });
  };
}

/** The id of a descendant begins with the id of the run and a dot. */
function isWithin(runId: string, ancestor: string): boolean {
  return runId.startsWith(ancestor) && (runId.length === ancestor.length || runId[ancestor.length] === '.');
}

function byAge(one: InterruptRecord, other: InterruptRecord): number {
  return one.requestedAt - other.requestedAt;
}

const WAITING = `
  SELECT tree.run_id AS runId, open.interrupt_id AS interruptId, open.node_id AS nodeId, open.kind, open.title,
    open.requested_at AS requestedAt, open.expires_at AS expiresAt
  FROM (
    SELECT live.run_no, live.run_id FROM runs AS live INDEXED BY runs_live
    WHERE live.root_no = (SELECT run_no FROM runs WHERE run_id = ?)
      AND live.status NOT IN ('completed', 'failed', 'cancelled')
    LIMIT ?
  ) AS tree
  CROSS JOIN interrupts AS open ON open.run_no = tree.run_no`;
