import type { Queries } from '../database/database.ts';
import { POSITIONS_OF_COMMIT } from '../webhooks/positions.ts';

const ROWS_AT_ONCE = 10_000;

/**
 * Removes rows of `commits` that nobody needs any more: a checkpoint covers them, every webhook has passed them, and
 * every host has heard of them long ago. A host that has lost the answer to a commit looks for its row, for a shorter time
 * (see slice-transaction.ts). Returns how many; less than `ROWS_AT_ONCE` means that none is left.
 */
export function commitPruner(database: Queries): () => Promise<number> {
  return () => database.run(PRUNE, ROWS_AT_ONCE);
}

const PRUNE = `
  DELETE FROM commits WHERE xid IN (
    SELECT xid FROM commits
    WHERE signed AND at < clock_timestamp() - interval '10 minutes'
      AND xid < (SELECT coalesce(min(position / ${POSITIONS_OF_COMMIT}), ${Number.MAX_SAFE_INTEGER}) FROM webhooks)
    ORDER BY xid LIMIT $1)`;
