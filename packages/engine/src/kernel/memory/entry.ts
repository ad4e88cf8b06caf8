import { isoTime, type JsonObject } from '@baton/protocol';
import type { MemoryRow } from '../../ports/memory.ts';

/** An entry as workflows and clients see it. */
export function entryOf({ id, content, tags, createdAt, expiresAt }: MemoryRow): JsonObject {
  return {
    id,
    content,
    tags: [...tags],
    createdAt: isoTime(createdAt),
    ...(expiresAt !== undefined && { expiresAt: isoTime(expiresAt) }),
  };
}
