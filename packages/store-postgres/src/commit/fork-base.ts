import type { ForkRecord } from '@baton/engine/ports';
import type { Queries } from '../database/database.ts';

/** Where the log of a fork begins. The base is null for a fork that shares no events with its source. */
export interface ForkBase {
  readonly sourceNo: number | null;
  readonly baseNo: number | null;
  readonly baseSeq: number | null;
}

export const NO_BASE: ForkBase = { sourceNo: null, baseNo: null, baseSeq: null };

interface SourceColumns {
  readonly runNo: number;
  readonly head: number;
  readonly baseNo: number | null;
  readonly baseSeq: number | null;
  readonly purgedAt: number | null;
  /** Whether a run of the tree of the source was erased. */
  readonly isErased: boolean;
}

/**
 * The run that wrote the last event before the cut. If the source is itself a fork and the cut lies before
 * its own events, the base is the run that the source was forked from. A cut exactly at the beginning of the
 * source's own events belongs to the source. Returns undefined if the events do not exist or
 * belong to another tenant, or if a run of their tree was erased.
 *
 * The source, and the runs that its log begins in, can neither be erased nor purged before the transaction ends.
 */
export async function forkBase(
  queries: Queries,
  { sourceRunId, fromSeq }: ForkRecord,
  tenant: string,
): Promise<ForkBase | undefined> {
  const [, lineage] = await Promise.all([
    queries.rows(LOCK, sourceRunId, tenant),
    queries.rows<SourceColumns>(READ, sourceRunId, tenant),
  ]);
  const [source] = lineage;
  if (source?.isErased) return undefined;
  if (fromSeq === 0) return { ...NO_BASE, sourceNo: source?.runNo ?? null };
  if (source === undefined || fromSeq > source.head || source.purgedAt !== null) return undefined;
  const base = lineage.find(({ baseNo, baseSeq }) => baseNo === null || fromSeq >= (baseSeq ?? 0));
  return base && { sourceNo: source.runNo, baseNo: base.runNo, baseSeq: fromSeq };
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
