import { type ForkBase, type ForkRecord, forkBase, type SourceColumns } from '@baton/engine/ports';
import type { Queries } from '../database/database.ts';

/** The source, and the runs that its log begins in, can neither be erased nor purged before the transaction ends. */
export async function lockedForkBase(
  queries: Queries,
  fork: ForkRecord,
  tenant: string,
): Promise<ForkBase | undefined> {
  const [, lineage] = await Promise.all([
    queries.rows(LOCK, fork.sourceRunId, tenant),
    queries.rows<SourceColumns>(READ, fork.sourceRunId, tenant),
  ]);
  return forkBase(fork, lineage);
}

/** The source, then the run that its log begins in, and so on. */
const LINEAGE = `
  WITH RECURSIVE lineage AS (
    SELECT run_no, base_no, 0 AS depth FROM runs WHERE run_id = $1 AND tenant = $2
    UNION ALL
    SELECT base.run_no, base.base_no, depth + 1 FROM lineage JOIN runs AS base ON base.run_no = lineage.base_no
  )`;

const LOCK = `
  ${LINEAGE}
  SELECT 1 FROM runs WHERE run_no IN (SELECT run_no FROM lineage) ORDER BY run_no FOR KEY SHARE`;

const READ = `
  ${LINEAGE}
  SELECT runs.run_no AS "runNo", runs.head, runs.base_no AS "baseNo", runs.base_seq AS "baseSeq",
    runs.purged_at AS "purgedAt",
    (SELECT true FROM runs AS erased
      WHERE erased.root_no = runs.root_no AND erased.erased_at IS NOT NULL LIMIT 1) IS NOT NULL AS "isErased"
  FROM lineage JOIN runs USING (run_no) ORDER BY depth`;
