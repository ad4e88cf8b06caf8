import { isoTime } from '@baton/protocol';
import type { MemoryAuthor, MemoryRow } from '../ports/memory.ts';

/** An entry of memory as callers see it. */
export interface MemoryEntry {
  readonly id: string;
  readonly content: string;
  readonly tags: readonly string[];
  readonly createdAt: string;
  readonly expiresAt?: string;
  readonly by: MemoryAuthor;
}

export function memoryEntry(row: MemoryRow): MemoryEntry {
  const { runId, nodeId, agentId } = row.by;
  return {
    id: row.id,
    content: row.content,
    tags: row.tags,
    createdAt: isoTime(row.createdAt),
    ...(row.expiresAt !== undefined && { expiresAt: isoTime(row.expiresAt) }),
    by: {
      ...(runId !== undefined && { runId }),
      ...(nodeId !== undefined && { nodeId }),
      ...(agentId !== undefined && { agentId }),
    },
  };
}
