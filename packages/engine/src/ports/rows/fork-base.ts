import type { ForkRecord } from '../run-row.ts';

/** Where the log of a fork begins. The base is null for a fork that shares no events with its source. */
export interface ForkBase {
  readonly sourceNo: number | null;
  readonly baseNo: number | null;
  readonly baseSeq: number | null;
}

export const NO_BASE: ForkBase = { sourceNo: null, baseNo: null, baseSeq: null };

/** The source of a fork, or a run that its log begins in. */
export interface SourceColumns {
  readonly runNo: number;
  readonly head: number;
  readonly baseNo: number | null;
  readonly baseSeq: number | null;
  readonly purgedAt: number | null;
  /** Whether a run of its tree was erased. */
  readonly isErased: 0 | 1 | boolean;
}

/**
 * The base is the run that wrote the last event before the cut. If the source is itself a fork and the cut lies before
 * its own events, this is the run that the source was forked from. A cut exactly at the beginning of the source's own
 * events belongs to the source. `lineage` is the source, the run that its log begins in, and so on; it is empty for a
 * source of another tenant. Undefined if the events do not exist, or if a run of their tree was erased.
 */
export function forkBase({ fromSeq }: ForkRecord, lineage: readonly SourceColumns[]): ForkBase | undefined {
  const [source] = lineage;
  // Another host may have erased the source, or a run of its tree, since the fork was computed.
  if (source?.isErased) return undefined;
  if (fromSeq === 0) return { ...NO_BASE, sourceNo: source?.runNo ?? null };
  if (source === undefined || fromSeq > source.head || source.purgedAt !== null) return undefined;
  const base = lineage.find(({ baseNo, baseSeq }) => baseNo === null || fromSeq >= (baseSeq ?? 0));
  return base && { sourceNo: source.runNo, baseNo: base.runNo, baseSeq: fromSeq };
}
