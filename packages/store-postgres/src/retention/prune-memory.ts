import type { Database } from '../database/database.ts';
import { removingEntries } from '../memory/entry-remover.ts';

/** So few that a batch does not delay commits noticeably. */
const PRUNED_AT_ONCE = 200;

/** Each call begins with the first memory scope that has something to remove. */
export function memoryPruner(database: Database): (before: number, limit: number) => Promise<number> {
  /** Writers lock a memory scope before they change its entries, and so does this. */
  function pruneSome(scopeNo: number, before: number, limit: number): Promise<number> {
    return database.transaction(async (queries) => {
      const [, found] = await Promise.all([
        queries.run('SELECT 1 FROM scopes WHERE scope_no = $1 FOR NO KEY UPDATE', scopeNo),
        queries.row<{ removed: number; oldest: number | null }>(PRUNE, scopeNo, before, limit),
      ]);
      if (found?.oldest) await queries.run(RAISE, scopeNo, found.oldest);
      return found?.removed ?? 0;
    });
  }

  return async (before, limit) => {
    let removed = 0;
    let after = 0;
    while (removed < limit) {
      const scope = await database.row<{ scopeNo: number }>(NEXT_SCOPE, after, before);
      if (scope === undefined) break;
      const some = Math.min(PRUNED_AT_ONCE, limit - removed);
      const found = await pruneSome(scope.scopeNo, before, some);
      removed += found;
      if (found < some) after = scope.scopeNo;
    }
    return removed;
  };
}

/**
 * Keeps entries that were valid when the oldest kept run of the tenant started, because it may read them again.
 */
const spent = (scope: string) => `spent_at < least($2::bigint, (
      SELECT min(created_at) FROM runs
      WHERE tenant = ${scope} AND parent_no IS NULL AND purged_at IS NULL))`;

const NEXT_SCOPE = `
  SELECT scope_no AS "scopeNo" FROM scopes
  WHERE shared AND scope_no > $1 AND EXISTS (
    SELECT 1 FROM entries WHERE entries.scope_no = scopes.scope_no AND ${spent('scopes.tenant')})
  ORDER BY scope_no LIMIT 1`;

const PRUNE = removingEntries(
  `SELECT entry_no, ended FROM entries
    WHERE scope_no = $1 AND ${spent('(SELECT tenant FROM scopes WHERE scope_no = $1)')} ORDER BY spent_at LIMIT $3`,
  'SELECT count(*) AS removed, max(ended) AS oldest FROM removed',
);

const RAISE = 'UPDATE scopes SET oldest = greatest(oldest, $2) WHERE scope_no = $1';
