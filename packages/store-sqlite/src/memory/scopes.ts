import {
  isShared,
  type MemoryChange,
  type MemoryReads,
  type NamedScope,
  type ScopeHead,
} from '@baton/engine/ports';
import type { Database } from '../database/database.ts';

interface ScopeColumns extends ScopeHead {
  readonly scopeNo: number;
}

/** Finds a memory scope of this tenant, never one of another tenant. */
export function scopeFinder(database: Database): (tenant: string, name: string) => ScopeColumns | undefined {
  const find = database.prepare<ScopeColumns>(
    'SELECT scope_no AS scopeNo, version, oldest FROM scopes WHERE tenant = ? AND name = ?',
  );
  return (tenant, name) => find.get(tenant, name);
}

/** The first name that does not begin with the prefix and comes after all that do: `scope;` of `scope:`. */
function endOf(prefix: string): string {
  const last = prefix.length - 1;
  return `${prefix.slice(0, last)}${String.fromCharCode(prefix.charCodeAt(last) + 1)}`;
}

export function scopeLister(database: Database): MemoryReads['scopes'] {
  const list = database.prepare<NamedScope>(
    `SELECT name, version, oldest FROM scopes
     WHERE tenant = ? AND name > ? AND name < ? ORDER BY name LIMIT ?`,
  );
  return async (tenant, prefix, limit, after = prefix) => list.all(tenant, after, endOf(prefix), limit);
}

/** Increases the version of a memory scope; undefined if the version is not the expected one. */
export function scopeMover(database: Database): (change: MemoryChange) => number | undefined {
  const begin = database.prepare(
    `INSERT INTO scopes (tenant, name, shared, version, oldest) VALUES (?, ?, ?, 1, 0)
     ON CONFLICT (tenant, name) DO NOTHING`,
  );
  const moveOn = database.prepare<{ scopeNo: number }>(
    `UPDATE scopes SET version = version + 1 WHERE tenant = ? AND name = ? AND version = ?
     RETURNING scope_no AS scopeNo`,
  );
  return ({ tenant, scope, expectedVersion }) => {
    if (expectedVersion > 0) return moveOn.get(tenant, scope, expectedVersion)?.scopeNo;
    const begun = begin.run(tenant, scope, isShared(scope) ? 1 : 0);
    return begun.changes === 1 ? begun.lastInsertRowid : undefined;
  };
}
