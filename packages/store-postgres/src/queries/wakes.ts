import type { KeptTrees, Store, TreeRef } from '@baton/engine/ports';
import type { Database } from '../database/database.ts';
import type { Self } from '../self.ts';

/**
 * Finds the trees that the driver of this host must work on. The wake-up time of a tree and its keeper are in the row of
 * its root. A keeper that is no longer in `hosts` keeps nothing.
 */

type DueColumns = TreeRef & { readonly at: number; readonly runNo: number };

const TREE = `
  runs.run_id AS "rootId", runs.tenant, runs.workflow_id AS "workflowId", runs.workflow_version AS "workflowVersion"`;

/** A live host that is this late with a deadline is overloaded or hangs: another host does the work. */
const LATE_MS = 1000;

type WakeQueries = Pick<Store, 'unfinished' | 'due' | 'nextWake'> & KeptTrees;

export function wakeQueries(database: Database, self: Self): WakeQueries {
  const { hostNo } = self;
  return {
    unfinished: () => database.rows<TreeRef>(UNFINISHED, hostNo),
    async due(now, limit, cursor) {
      const [at = Number.MIN_SAFE_INTEGER, runNo = 0] = cursor?.split(':').map(Number) ?? [];
      const rows = await database.rows<DueColumns>(DUE, hostNo, now, limit, at, runNo, now - LATE_MS);
      const last = rows[limit - 1];
      const items = rows.map(({ at: _at, runNo: _runNo, ...tree }) => tree);
      return last === undefined ? { items } : { items, next: `${last.at}:${last.runNo}` };
    },
    nextWake: async () => (await database.row<{ at: number | null }>(NEXT, hostNo))?.at ?? undefined,
    async takeTree(rootId) {
      await database.run(TAKE, hostNo, rootId);
    },
    ringTree: (rootId, now) => database.row<TreeRef>(RING, hostNo, rootId, now),
    async adoptTrees(limit) {
      const unfinished = await database.rows<TreeRef>(ADOPT_UNFINISHED, hostNo, limit);
      if (unfinished.length > 0) return unfinished;
      // Deadlines are not told: `due` finds them.
      while ((await database.run(ADOPT_WAITING, hostNo, limit)) > 0);
      return [];
    },
  };
}

/** The host at work that keeps the tree, if it is another one than this host ($1). */
const OTHER = 'SELECT FROM hosts WHERE hosts.host_no = runs.keeper AND hosts.host_no <> $1';

/**
 * No host at work keeps the tree. A statement that locks trees asks in this way: when another host has become the keeper
 * since the statement began, Postgres checks the changed row against the list again, but would not repeat a join.
 */
const IS_ORPHAN = 'coalesce(runs.keeper <> ALL (ARRAY(SELECT hosts.host_no FROM hosts)), true)';

const UNFINISHED = `
  SELECT ${TREE} FROM runs WHERE runs.unfinished AND NOT EXISTS (${OTHER}) ORDER BY runs.run_no`;

/** Within a page that was asked for after ($4, $5). */
const IS_DUE = `runs.wake_at <= $2 AND (runs.wake_at, runs.run_no) > ($4::bigint, $5::bigint)`;

/**
 * This host becomes the keeper of the trees that nobody keeps, and of those whose keeper is late ($6). Their deadline is
 * set to this moment: so another host has to wait again before it may take them. A tree that another host is changing at
 * this moment is left to it.
 */
const DUE = `
  WITH taken AS (
    UPDATE runs SET keeper = $1, wake_at = $2 WHERE run_no = ANY(ARRAY(
      SELECT runs.run_no FROM runs
      WHERE ${IS_DUE} AND runs.keeper IS DISTINCT FROM $1 AND (runs.wake_at < $6 OR NOT EXISTS (${OTHER}))
      ORDER BY runs.wake_at, runs.run_no LIMIT $3 FOR NO KEY UPDATE SKIP LOCKED))
    RETURNING ${TREE}, runs.wake_at AS at, runs.run_no AS "runNo"
  )
  (SELECT ${TREE}, runs.wake_at AS at, runs.run_no AS "runNo" FROM runs
   WHERE ${IS_DUE} AND runs.keeper = $1 ORDER BY runs.wake_at, runs.run_no LIMIT $3)
  UNION ALL SELECT * FROM taken
  ORDER BY at, "runNo" LIMIT $3`;

const NEXT = `
  SELECT min(runs.wake_at) AS at FROM runs WHERE runs.keeper = $1 AND runs.wake_at IS NOT NULL`;

const TAKE = `UPDATE runs SET keeper = $1 WHERE run_id = $2 AND root_no = run_no`;

const RING = `${TAKE} AND wake_at <= $3 RETURNING ${TREE}`;

const adopt = (found: string) => `
  UPDATE runs SET keeper = $1 WHERE run_no = ANY(ARRAY(${found})) RETURNING ${TREE}`;

const ADOPT_UNFINISHED = adopt(`
    SELECT runs.run_no FROM runs
    WHERE runs.unfinished AND runs.keeper IS DISTINCT FROM $1 AND ${IS_ORPHAN}
    LIMIT $2 FOR NO KEY UPDATE SKIP LOCKED`);

/**
 * Very many trees may wait for a deadline, and mostly nothing is to be adopted. So the keepers are found first, each by
 * one look into the index, and then the trees of those that are gone.
 */
const ADOPT_WAITING = `
  WITH RECURSIVE keepers (keeper) AS (
    (SELECT keeper FROM runs WHERE wake_at IS NOT NULL AND keeper IS NOT NULL ORDER BY keeper LIMIT 1)
    UNION ALL
    SELECT (SELECT runs.keeper FROM runs WHERE runs.wake_at IS NOT NULL AND runs.keeper > keepers.keeper
            ORDER BY runs.keeper LIMIT 1)
    FROM keepers WHERE keepers.keeper IS NOT NULL
  ), gone AS MATERIALIZED (
    SELECT keeper FROM keepers WHERE keeper <> $1 AND NOT EXISTS (SELECT FROM hosts WHERE host_no = keepers.keeper)
  ) ${adopt(`
    SELECT orphan.run_no FROM gone CROSS JOIN LATERAL (
      SELECT runs.run_no FROM runs WHERE runs.keeper = gone.keeper AND runs.wake_at IS NOT NULL
      ORDER BY runs.wake_at LIMIT $2 FOR NO KEY UPDATE SKIP LOCKED
    ) AS orphan`)}`;
