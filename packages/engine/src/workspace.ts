import { DEFAULT_CONTENT_TYPE, isoTime, type WorkspaceFile, type WorkspaceFileEntry } from '@baton/protocol';
import type { MemoryRow } from './ports/memory.ts';

/** Files of a workspace as their readers see them. */

/** Changes with every write; the version of the whole workspace is never given out twice. */
export function etagOf({ version, revision }: MemoryRow): string {
  return `v${revision}-${version}`;
}

export function fileEntry(row: MemoryRow): WorkspaceFileEntry {
  return {
    path: row.id,
    contentType: row.contentType ?? DEFAULT_CONTENT_TYPE,
    version: row.revision,
    etag: etagOf(row),
    updatedAt: isoTime(row.createdAt),
  };
}

export function fileView(row: MemoryRow): WorkspaceFile {
  return { ...fileEntry(row), content: row.content };
}
