import type { Database } from '../database/database.ts';
import { atomically, transaction, turnOfOthers } from '../database/transaction.ts';
import { entryRemover } from '../memory/entry-remover.ts';

/** So few that a batch does not delay commits noticeably. */
const PRUNED_AT_ONCE = 200;

interface SharedScope {
  readonly scopeNo: number;
  readonly tenant: string;
}

interface SpentColumns {
  readonly entryNo: number;
  readonly ended: number | null;
}

/** Each call continues where the last one stopped, and ends at `limit` or after all memory scopes. */
export function memoryPruner(database: Database): (before: number, limit: number) => Promise<number> {
  const own = transaction(database);
  const scopeAfter = database.prepare<SharedScope>(SCOPE_AFTER);
  const oldestKept = database.prepare<{ createdAt: number | null }>(OLDEST_KEPT);
  const spent = database.prepare<SpentColumns>(SPENT);
  const raise = database.prepare('UPDATE scopes SET oldest = max(oldest, ?) WHERE scope_no = ?');
  const remove = entryRemover(database);
  let last = 0;

  /** Keeps entries that were valid when the oldest kept run started, because it may read them again. */
  function pruneSome({ scopeNo, tenant }: SharedScope, before: number, limit: number): number {
    return atomically(own, () => {
      const rows = spent.all(scopeNo, Math.min(before, oldestKept.get(tenant)?.createdAt ?? before), limit);
      for (const { entryNo } of rows) remove(entryNo);
      const oldest = Math.max(0, ...rows.map(({ ended }) => ended ?? 0));
      if (oldest > 0) raise.run(oldest, scopeNo);
      return rows.length;
    });
  }

  return async (before, limit) => {
    let removed = 0;
    let rounds = last === 0 ? 1 : 2;
    while (rounds > 0 && removed < limit) {
      const scope = scopeAfter.get(last);
      if (scope === undefined) {
        rounds -= 1;
        last = 0;
        continue;
      }
      const some = Math.min(PRUNED_AT_ONCE, limit - removed);
      const found = pruneSome(scope, before, some);
      removed += found;
      if (found < some) last = scope.scopeNo;
      await turnOfOthers();
    }
    return removed;
  };
}

const SCOPE_AFTER = `
  SELECT scope_no AS scopeNo, tenant FROM scopes INDEXED BY scopes_shared
  WHERE shared = 1 AND scope_no > ? ORDER BY scope_no LIMIT 1`;

const OLDEST_KEPT = `
  SELECT min(created_at) AS createdAt FROM runs INDEXED BY runs_kept
  WHERE tenant = ? AND parent_no IS NULL AND purged_at IS NULL`;

const SPENT = `
  SELECT entry_no AS entryNo, ended FROM entries INDEXED BY entries_spent
  WHERE scope_no = ? AND spent_at IS NOT NULL AND spent_at < ? ORDER BY spent_at LIMIT ?`;
