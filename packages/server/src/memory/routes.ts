import { hideSealed, memoryEntry, ownScope } from '@baton/engine';
import type { NamedScope } from '@baton/engine/ports';
import { BatonError, CONTRACTS, invalid } from '@baton/protocol';
import { identityOf } from '../auth/bearer.ts';
import { bind } from '../http/bind.ts';
import type { Routes } from '../http/context.ts';

/** The memory that the runs of a tenant share. */

/** The names of shared memory scopes in the store begin with this. */
const SHARED = ownScope('', '');
const USUAL_LIMIT = 50;

export const memoryRoutes: Routes = (app, host) => {
  bind(app, CONTRACTS.listMemoryScopes, async (request) => {
    const { limit = USUAL_LIMIT, cursor } = request.query;
    const { tenant } = identityOf(request);
    const after = cursor === undefined ? undefined : `${SHARED}${readCursor(cursor)}`;
    const found = await host.reads.scopes(tenant, SHARED, limit + 1, after);
    const scopes = found.slice(0, limit).map(scopeView);
    const last = found.length > limit ? scopes.at(-1) : undefined;
    return { scopes, nextCursor: last && cursorAfter(last.scopeId) };
  });

  bind(app, CONTRACTS.readMemory, async (request) => {
    const { scopeId } = request.params;
    const { limit = USUAL_LIMIT, tag, text } = request.query;
    const { tenant } = identityOf(request);
    const scope = ownScope('', scopeId);
    const head = await host.reads.scope(tenant, scope);
    if (head === undefined) {
      throw new BatonError('not_found', 'No run has written to a memory scope of this name.', { scopeId });
    }
    const { version, oldest: oldestVersion } = head;
    const view = [{ scope, version }];
    const rows = await host.reads.memory({ tenant, view, now: Date.now(), limit, tag, text });
    return { scopeId, version, oldestVersion, entries: hideSealed(rows.map(memoryEntry)) };
  });
};

function scopeView({ name, version, oldest }: NamedScope) {
  return { scopeId: name.slice(SHARED.length), version, oldestVersion: oldest };
}

function cursorAfter(scopeId: string): string {
  return Buffer.from(scopeId).toString('base64url');
}

function readCursor(cursor: string): string {
  const scopeId = Buffer.from(cursor, 'base64url').toString();
  if (scopeId !== '' && cursorAfter(scopeId) === cursor) return scopeId;
  throw invalid('query', { field: 'cursor', problem: 'is not one that a page before this gave as its next' });
}
