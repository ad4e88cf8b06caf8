import type { ForkRecord } from '@baton/engine/ports';
import type { Database } from '../database/database.ts';

/** Where a fork's log begins; nothing in it for one that shares no event with its source. */
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
}

/**
 * The run that wrote what comes before the fork. When the cut lies in what the source has from its own base, that
 * is the base; right at its end the state is already the source's own. Undefined when the events are not there, or belong to somebody else.
 */
export function forkBases(database: Database): (fork: ForkRecord, tenant: string) => ForkBase | undefined {
  const byId = database.prepare<SourceColumns>(`${SELECT} WHERE run_id = ? AND tenant = ?`);
  const byNumber = database.prepare<SourceColumns>(`${SELECT} WHERE run_no = ?`);
  return ({ sourceRunId, fromSeq }, tenant) => {
    const source = byId.get(sourceRunId, tenant);
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
  SELECT run_no AS runNo, head, base_no AS baseNo, base_seq AS baseSeq, purged_at AS purgedAt FROM runs`;
