import type { ForkRecord } from '@baton/engine/ports';
import type { Database } from '../database/database.ts';

/** Where the log of a fork begins. The base is null for a fork that shares no events with its source. */
interface ForkBase {
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
  /** Whether a run of its tree was erased. */
  readonly isErased: 0 | 1;
}

/**
 * The run that wrote the last event before the cut. If the source is itself a fork and the cut lies before
 * its own events, the base is the run that the source was forked from. A cut exactly at the beginning of the
 * source's own events belongs to the source. Returns undefined if the events do not exist or
 * belong to another tenant, or if a run of their tree was erased.
 */
export function forkBases(database: Database): (fork: ForkRecord, tenant: string) => ForkBase | undefined {
  const byId = database.prepare<SourceColumns>(`${SELECT} WHERE run_id = ? AND tenant = ?`);
  const byNumber = database.prepare<SourceColumns>(`${SELECT} WHERE run_no = ?`);
  return ({ sourceRunId, fromSeq }, tenant) => {
    const source = byId.get(sourceRunId, tenant);
    // Another host may have erased the source, or a run of its tree, since the fork was computed.
    if (source?.isErased === 1) return undefined;
    if (fromSeq === 0) return { ...NO_BASE, sourceNo: source?.runNo ?? null };
    if (source === undefined || fromSeq > source.head || source.purgedAt !== null) return undefined;
    let base: SourceColumns | undefined = source;
    while (base !== undefined && base.baseNo !== null && fromSeq < (base.baseSeq ?? 0)) {
      base = byNumber.get(base.baseNo);
    }
    return base && { sourceNo: source.runNo, baseNo: base.runNo, baseSeq: fromSeq };
  };
}

const SELECT = `
  SELECT run_no AS runNo, head, base_no AS baseNo, base_seq AS baseSeq, purged_at AS purgedAt,
    EXISTS (SELECT 1 FROM runs AS erased INDEXED BY runs_erased
      WHERE erased.root_no = runs.root_no AND erased.erased_at IS NOT NULL) AS isErased
  FROM runs`;
