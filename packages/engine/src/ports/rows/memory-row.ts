import type { BundledEntry } from '@baton/protocol';
import type { MemoryAuthor, MemoryRow } from '../memory.ts';

/** A row of a store that holds one version of an entry of memory. */
export interface EntryColumns {
  readonly id: string;
  readonly content: string;
  /** A list as JSON; null when there are none. */
  readonly tags: string | null;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly contentType: string | null;
  readonly version: number;
  readonly revision: number;
  readonly runId: string | null;
  readonly nodeId: string | null;
  readonly agentId: string | null;
}

/** The same, with what happened to the entry afterwards. */
export interface HistoryColumns extends EntryColumns {
  readonly ended: number | null;
  readonly deleted: boolean;
}

export function readTags(tags: string | null): readonly string[] {
  return tags === null ? [] : JSON.parse(tags);
}

/** `delay` is how much later the entry expires than was written. */
export function toMemoryRow(scope: string, row: EntryColumns, delay: number): MemoryRow {
  return {
    id: row.id,
    content: row.content,
    tags: readTags(row.tags),
    createdAt: row.createdAt,
    ...(row.expiresAt !== null && { expiresAt: row.expiresAt + delay }),
    ...(row.contentType !== null && { contentType: row.contentType }),
    scope,
    version: row.version,
    revision: row.revision,
    by: authorOf(row),
  };
}

/** The entry as it was at version `upTo` of its memory scope. */
export function toBundledEntry(row: HistoryColumns, upTo: number): BundledEntry {
  return {
    version: row.version,
    // An entry that ended after `upTo` was still valid at `upTo`.
    ...(row.ended !== null && row.ended <= upTo && { ended: row.ended }),
    deleted: row.deleted,
    revision: row.revision,
    id: row.id,
    content: row.content,
    tags: [...readTags(row.tags)],
    createdAt: row.createdAt,
    ...(row.expiresAt !== null && { expiresAt: row.expiresAt }),
    ...(row.contentType !== null && { contentType: row.contentType }),
    by: authorOf(row),
  };
}

function authorOf({ runId, nodeId, agentId }: EntryColumns): MemoryAuthor {
  return {
    ...(runId !== null && { runId }),
    ...(nodeId !== null && { nodeId }),
    ...(agentId !== null && { agentId }),
  };
}
