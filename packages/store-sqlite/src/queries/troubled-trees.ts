import {
  type Hold,
  isHeld,
  type TroubledColumns,
  type TroubleReads,
  type TroubleStore,
  toTroubled,
} from '@baton/engine/ports';
import type { Database } from '../database/database.ts';
import { atomically, snapshots, transaction } from '../database/transaction.ts';

const LIVE = "run.status NOT IN ('completed', 'failed', 'cancelled')";

/** SQLite reads a cross join in the written order: first the few rows of `troubled_trees`. */
const SELECT = `
  SELECT run.run_id AS rootId, run.tenant, run.workflow_id AS workflowId,
    run.workflow_version AS workflowVersion, tree.losses, tree.held_at AS heldAt, tree.reason
  FROM troubled_trees AS tree CROSS JOIN runs AS run ON run.run_no = tree.root_no AND ${LIVE}`;

export function troubleStore(database: Database): TroubleStore {
  const own = transaction(database);
  const live = database.prepare<{ runNo: number }>(
    `SELECT run.run_no AS runNo FROM runs AS run WHERE run.run_id = ? AND run.root_no = run.run_no AND ${LIVE}`,
  );
  const count = database.prepare<{ losses: number }>(
    `INSERT INTO troubled_trees (root_no, losses) VALUES (?, 1)
     ON CONFLICT (root_no) DO UPDATE SET losses = losses + 1 RETURNING losses`,
  );
  const forget = database.prepare(
    'DELETE FROM troubled_trees WHERE held_at IS NULL AND root_no = (SELECT run_no FROM runs WHERE run_id = ?)',
  );
  const hold = database.prepare(
    `INSERT INTO troubled_trees (root_no, losses, held_at, reason) VALUES (?, 0, ?, ?)
     ON CONFLICT (root_no) DO UPDATE SET held_at = excluded.held_at, reason = excluded.reason`,
  );
  const wake = database.prepare('UPDATE runs SET wake_at = NULL, unfinished = ? WHERE run_no = ?');
  const release = database.prepare('DELETE FROM troubled_trees WHERE held_at IS NOT NULL AND root_no = ?');
  const all = database.prepare<TroubledColumns>(`${SELECT} ORDER BY tree.root_no`);

  return {
    countLoss: async (rootId) =>
      atomically(own, () => {
        const root = live.get(rootId);
        return root === undefined ? 0 : (count.get(root.runNo)?.losses ?? 0);
      }),
    forgetLosses: async (rootId) => atomically(own, () => void forget.run(rootId)),
    holdTrees: async (rootIds, reason, at) =>
      atomically(own, () => {
        for (const rootId of rootIds) {
          const root = live.get(rootId);
          if (root === undefined) continue;
          hold.run(root.runNo, at, reason);
          wake.run(0, root.runNo);
        }
      }),
    releaseTree: async (rootId) =>
      atomically(own, () => {
        const root = live.get(rootId);
        if (root === undefined || release.run(root.runNo).changes === 0) return false;
        wake.run(1, root.runNo);
        return true;
      }),
    troubledTrees: async () => all.all().map(toTroubled),
  };
}

export function troubleReads(database: Database): TroubleReads {
  const held = database.prepare<TroubledColumns>(
    `${SELECT} WHERE tree.held_at IS NOT NULL ORDER BY tree.held_at DESC, tree.root_no DESC LIMIT ?`,
  );
  const count = database.prepare<{ held: number }>(
    `SELECT count(*) AS held FROM troubled_trees AS tree
     CROSS JOIN runs AS run ON run.run_no = tree.root_no AND ${LIVE}
     WHERE tree.held_at IS NOT NULL`,
  );
  const inSnapshot = snapshots(database);
  const heldCount = () => count.get()?.held ?? 0;
  return {
    heldTrees: async (limit) =>
      inSnapshot(() => ({
        total: heldCount(),
        trees: held.all(limit).map(toTroubled).filter(isHeld),
      })),
    heldCount: async () => heldCount(),
  };
}

/** Finds the hold on a tree, if the tree belongs to the tenant. */
export function holdFinder(database: Database): (tenant: string, rootId: string) => Hold | undefined {
  const one = database.prepare<TroubledColumns>(
    `${SELECT} AND run.tenant = ? WHERE tree.held_at IS NOT NULL
       AND tree.root_no = (SELECT run_no FROM runs WHERE run_id = ?)`,
  );
  return (tenant, rootId) => {
    const row = one.get(tenant, rootId);
    return row && toTroubled(row).held;
  };
}
