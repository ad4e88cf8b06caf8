import type { ChainLeaf, ErasureRecord, SignedCheckpoint } from '../audit.ts';

/** Rows of the tables of the audit, as a store reads them. */

/** The row may have further columns. */
export function toCheckpoint(row: SignedCheckpoint): SignedCheckpoint {
  const { number, at, digest, keyId, signature, sequence } = row;
  return { number, at, digest, keyId, signature, sequence };
}

export interface LeafColumns {
  readonly runId: string | null;
  readonly head: number | null;
  readonly link: string | null;
}

/** The audit reports a run or leaf that was removed as missing. */
export function toLeaf({ runId, head, link }: LeafColumns): ChainLeaf | undefined {
  return runId === null || head === null || link === null ? undefined : { runId, head, link };
}

/** The links are one text, with spaces between them. */
export interface ErasureColumns extends Omit<ErasureRecord, 'links' | 'runId'> {
  readonly links: string;
}

export function toErasure(runId: string, { links, ...rest }: ErasureColumns): ErasureRecord {
  return { ...rest, runId, links: links === '' ? [] : links.split(' ') };
}
