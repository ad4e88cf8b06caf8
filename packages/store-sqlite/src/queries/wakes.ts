import type { KeptTrees, Store, TreeRef } from '@baton/engine/ports';
import type { Database } from '../database/database.ts';

type DueColumns = TreeRef & { readonly at: number; readonly runNo: number };

const TREE = 'run_id AS rootId, tenant, workflow_id AS workflowId, workflow_version AS workflowVersion';

/** Finds the trees that the driver must work on. The wake-up time of a tree is in the row of its root. */
export function wakeQueries(database: Database): Pick<Store, 'unfinished' | 'due' | 'nextWake'> & KeptTrees {
  const unfinished = database.prepare<TreeRef>(
    `SELECT ${TREE} FROM runs WHERE unfinished = 1 ORDER BY run_no`,
  );
  const due = database.prepare<DueColumns>(
    `SELECT ${TREE}, wake_at AS at, run_no AS runNo FROM runs
     WHERE wake_at IS NOT NULL AND wake_at <= ? AND wake_at >= ? AND (wake_at > ? OR run_no > ?)
     ORDER BY wake_at, run_no LIMIT ?`,
  );
  const next = database.prepare<{ at: number | null }>(
    'SELECT min(wake_at) AS at FROM runs WHERE wake_at IS NOT NULL',
  );
  const ring = database.prepare<TreeRef>(`SELECT ${TREE} FROM runs WHERE run_id = ? AND wake_at <= ?`);
  return {
    unfinished: async () => unfinished.all(),
    async due(now, limit, cursor) {
      const [at = Number.MIN_SAFE_INTEGER, runNo = 0] = cursor?.split(':').map(Number) ?? [];
      const rows = due.all(now, at, at, runNo, limit);
      const last = rows[limit - 1];
      const items = rows.map(({ at: _at, runNo: _runNo, ...tree }) => tree);
      return last === undefined ? { items } : { items, next: `${last.at}:${last.runNo}` };
    },
    nextWake: async () => next.get()?.at ?? undefined,
    // The data folder is locked, so this host keeps every tree.
    takeTree: async () => undefined,
    adoptTrees: async () => [],
    ringTree: async (rootId, now) => ring.get(rootId, now),
  };
}
