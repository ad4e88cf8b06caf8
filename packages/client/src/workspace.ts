import type { WorkspaceFile, WorkspaceFileEntry } from '@baton/protocol';
import type { CallOptions, Connection } from './http/connection.ts';
import type { Body, Query } from './http/contract-types.ts';
import { ask } from './http/request.ts';

/** With `ifMatch`, the file is changed only if it still has this `etag`; otherwise `workspace_conflict`. */
interface IfMatch extends CallOptions {
  readonly ifMatch?: string;
}

/** The files that the agents of the tenant share. */
export interface Workspace {
  list(options?: CallOptions): Promise<readonly WorkspaceFileEntry[]>;
  /** A file, or an earlier version of it. */
  read(path: string, options?: Query<'readFile'> & CallOptions): Promise<WorkspaceFile>;
  /**
   * Writes a file. Every write makes a version, so the client does not repeat a write whose answer was lost: read the
   * file to see whether it was carried out.
   */
  write(
    path: string,
    content: string,
    options?: Omit<Body<'writeFile'>, 'content'> & IfMatch,
  ): Promise<WorkspaceFile>;
  delete(path: string, options?: IfMatch): Promise<void>;
}

export function workspace(connection: Connection): Workspace {
  return {
    list: async (options) => (await ask(connection, 'listFiles', options)).files,
    read: (path, { signal, ...query } = {}) =>
      ask(connection, 'readFile', { params: { path }, query, signal }),
    write: (path, content, { contentType, ifMatch, signal } = {}) =>
      ask(connection, 'writeFile', {
        params: { path },
        body: { content, contentType },
        headers: matching(ifMatch),
        signal,
      }),
    delete: (path, { ifMatch, signal } = {}) =>
      ask(connection, 'deleteFile', { params: { path }, headers: matching(ifMatch), signal }),
  };
}

function matching(etag: string | undefined): Readonly<Record<string, string | undefined>> {
  return { 'if-match': etag === undefined ? undefined : `"${etag}"` };
}
