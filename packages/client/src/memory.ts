import type { CallOptions, Connection } from './http/connection.ts';
import type { Answer, Query } from './http/contract-types.ts';
import { pagesOf } from './http/pages.ts';
import { ask } from './http/request.ts';

export type MemoryScopeEntry = Answer<'listMemoryScopes'>['scopes'][number];
export type MemoryContents = Answer<'readMemory'>;

/** The memory that runs with the same `scopeId` share. The memory of one run is in `run.state()` and `run.stateAt()`. */
export interface Memory {
  /** The memory scopes of the tenant, by name. */
  scopes(options?: CallOptions): AsyncGenerator<MemoryScopeEntry, void, undefined>;
  /** The entries of a memory scope, newest first. */
  read(scopeId: string, options?: Query<'readMemory'> & CallOptions): Promise<MemoryContents>;
}

export function memory(connection: Connection): Memory {
  return {
    scopes({ signal } = {}) {
      return pagesOf(async (cursor) => {
        const page = await ask(connection, 'listMemoryScopes', { query: { limit: 200, cursor }, signal });
        return { items: page.scopes, next: page.nextCursor };
      });
    },
    read: (scopeId, { signal, ...query } = {}) =>
      ask(connection, 'readMemory', { params: { scopeId }, query, signal }),
  };
}
