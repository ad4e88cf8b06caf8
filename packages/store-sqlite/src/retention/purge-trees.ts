import { privateScope } from '@baton/engine/ports';
import { isTerminal, type RunStatus } from '@baton/protocol';
import type { Database } from '../database/database.ts';
import { atomically, transaction, turnOfOthers } from '../database/transaction.ts';
import { entryRemover } from '../memory/entry-remover.ts';
import { scopeFinder } from '../memory/scopes.ts';

interface RootColumns {
  readonly runNo: number;
  readonly tenant: string;
  readonly createdAt: number;
}

interface MemberColumns {
  readonly runNo: number;
  readonly runId: string;
  readonly tenant: string;
  readonly status: RunStatus;
}

const START: RootColumns = { tenant: '', createdAt: -1, runNo: 0 };

/**
 * Each call continues where the previous call stopped. It ends at `limit`, or after it has seen all trees.
 * `onPurged` is called for each run whose events were removed.
 */
export function treePurger(
  database: Database,
  onPurged: (runId: string) => void,
): (before: number, limit: number) => Promise<number> {
  const own = transaction(database);
  const nextTree = endedTrees(database);
  const members = database.prepare<MemberColumns>(MEMBERS);
  const isNeeded = neededRuns(database);
  const purgeRun = runPurger(database);
  let last = START;

  /** Returns the purged runs: the whole tree, or none of it. */
  function purge(root: RootColumns, before: number): readonly MemberColumns[] {
    return atomically(own, () => {
      const tree = members.all(root.runNo);
      if (tree.some((run) => !isTerminal(run.status) || isNeeded(run.runNo, root.runNo))) return [];
      for (const run of tree) purgeRun(run, before);
      return tree;
    });
  }

  return async (before, limit) => {
    let purged = 0;
    let rounds = last === START ? 1 : 2;
    while (rounds > 0 && purged < limit) {
      const root = nextTree(last, before);
      last = root ?? START;
      if (root === undefined) rounds -= 1;
      else {
        const runs = purge(root, before);
        for (const { runId } of runs) onPurged(runId);
        if (runs.length > 0) purged += 1;
      }
      await turnOfOthers();
    }
    return purged;
  };
}

/** The root of the next tree that ended before `before`, ordered by tenant and creation. */
function endedTrees(database: Database): (after: RootColumns, before: number) => RootColumns | undefined {
  const ended = database.prepare<RootColumns>(NEXT_ENDED);
  const nextTenant = database.prepare<{ tenant: string | null }>(NEXT_TENANT);
  return (after, before) => {
    let place = after;
    for (;;) {
      const { tenant, createdAt, runNo } = place;
      const found = ended.get(tenant, createdAt, createdAt, runNo, before, before);
      if (found !== undefined) return found;
      const next = nextTenant.get(tenant)?.tenant ?? null;
      if (next === null) return undefined;
      place = { ...START, tenant: next };
    }
  };
}

/** Whether another tree needs a run: its log begins with events of the run, or it is replaying the run. */
function neededRuns(database: Database): (runNo: number, rootNo: number) => boolean {
  const base = database.prepare<{ found: 1 }>(IS_BASE);
  const source = database.prepare<{ found: 1 }>(IS_SOURCE);
  return (runNo, rootNo) => base.get(runNo, rootNo) !== undefined || source.get(runNo, rootNo) !== undefined;
}

function runPurger(database: Database): (run: MemberColumns, before: number) => void {
  const events = database.prepare('DELETE FROM events WHERE run_no = ?');
  const checkpoints = database.prepare('DELETE FROM checkpoints WHERE run_no = ?');
  const lateOutcomes = database.prepare('DELETE FROM late_outcomes WHERE run_id = ?');
  const entries = database.prepare<{ entryNo: number }>(
    'SELECT entry_no AS entryNo FROM entries WHERE scope_no = ?',
  );
  const scope = database.prepare('DELETE FROM scopes WHERE scope_no = ?');
  const mark = database.prepare(
    "UPDATE runs SET purged_at = ?, listed = json_remove(listed, '$.error') WHERE run_no = ?",
  );
  const findScope = scopeFinder(database);
  const remove = entryRemover(database);
  return ({ runNo, runId, tenant }, before) => {
    events.run(runNo);
    checkpoints.run(runNo);
    lateOutcomes.run(runId);
    const own = findScope(tenant, privateScope(runId));
    if (own !== undefined) {
      for (const { entryNo } of entries.all(own.scopeNo)) remove(entryNo);
      scope.run(own.scopeNo);
    }
    mark.run(before, runNo);
  };
}

const NEXT_ENDED = `
  SELECT run_no AS runNo, tenant, created_at AS createdAt FROM runs INDEXED BY runs_kept
  WHERE tenant = ? AND parent_no IS NULL AND purged_at IS NULL
    AND created_at >= ? AND (created_at > ? OR run_no > ?) AND created_at < ? AND updated_at < ?
    AND status IN ('completed', 'failed', 'cancelled')
  ORDER BY created_at, run_no LIMIT 1`;

const NEXT_TENANT = `
  SELECT min(tenant) AS tenant FROM runs INDEXED BY runs_kept
  WHERE tenant > ? AND parent_no IS NULL AND purged_at IS NULL`;

const MEMBERS = `
  WITH RECURSIVE tree (run_no) AS (
    VALUES (?) UNION ALL
    SELECT child.run_no FROM tree CROSS JOIN runs AS child INDEXED BY runs_by_parent
    WHERE child.parent_no = tree.run_no)
  SELECT run.run_no AS runNo, run.run_id AS runId, run.tenant, run.status
  FROM tree CROSS JOIN runs AS run ON run.run_no = tree.run_no`;

const IS_BASE = `
  SELECT 1 AS found FROM runs INDEXED BY runs_by_base
  WHERE base_no = ? AND root_no <> ? AND purged_at IS NULL LIMIT 1`;

const IS_SOURCE = `
  SELECT 1 AS found FROM runs INDEXED BY runs_by_source
  WHERE source_no = ? AND root_no <> ? AND status NOT IN ('completed', 'failed', 'cancelled') LIMIT 1`;
