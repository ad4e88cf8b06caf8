import type { MemoryLayer } from '@baton/protocol';
import {
  expiryDelay,
  expiryTime,
  type MemoryChange,
  type MemoryQuery,
  type MemoryRow,
  type ScopeHead,
} from '../../../engine/src/ports/memory.ts';
import { wordsMatcher } from '../../../engine/src/ports/words.ts';

/** Memory without a store: what a store has to do, in the fewest words. */
export interface MemoryBook {
  memory(query: MemoryQuery): readonly MemoryRow[];
  scope(tenant: string, scope: string): ScopeHead | undefined;
  /** All of them, or none: false when a scope is not at the version that a change was computed from. */
  apply(changes: readonly MemoryChange[]): boolean;
}

/** A row, or the fact that there is none any more. */
type Leaf = MemoryRow | { readonly id: string; readonly version: number; readonly forgotten: true };

export function memoryBook(): MemoryBook {
  /** Per scope, in the order they were written. */
  const scopes = new Map<string, Leaf[]>();
  const keyOf = (tenant: string, scope: string) => `${tenant}\n${scope}`;
  const leaves = (tenant: string, scope: string) => scopes.get(keyOf(tenant, scope)) ?? [];
  const versionOf = (tenant: string, scope: string) => leaves(tenant, scope).at(-1)?.version ?? 0;

  /** The newest leaf of each entry up to a version, newest first. */
  function newest(tenant: string, { scope, version }: MemoryLayer): readonly Leaf[] {
    const found = new Map<string, Leaf>();
    for (const leaf of leaves(tenant, scope)) {
      if (leaf.version > version) break;
      found.delete(leaf.id);
      found.set(leaf.id, leaf);
    }
    return [...found.values()].reverse();
  }

  function leavesOf(change: MemoryChange): readonly Leaf[] {
    const { tenant, scope, at, by } = change;
    const version = change.expectedVersion + 1;
    const before = (id: string) => newest(tenant, { scope, version }).find((leaf) => leaf.id === id);
    const revisionBefore = (id: string) => {
      const last = before(id);
      return last === undefined || 'forgotten' in last ? 0 : last.revision;
    };
    switch (change.kind) {
      case 'forget':
        return [{ id: change.id, version, forgotten: true }];
      case 'write': {
        const { id, content, tags, expiresAt, contentType } = change;
        const row = {
          id,
          content,
          tags,
          createdAt: at,
          scope,
          version,
          revision: revisionBefore(id) + 1,
          by,
        };
        return [
          {
            ...row,
            ...(expiresAt !== undefined && { expiresAt }),
            ...(contentType !== undefined && { contentType }),
          },
        ];
      }
      case 'carry':
        return newest(tenant, { scope: change.from, version: change.upTo })
          .map((leaf) =>
            'forgotten' in leaf
              ? { ...leaf, version }
              : {
                  ...later(leaf, change.expiryDelay ?? 0),
                  scope,
                  version,
                  revision: leaf.revision + revisionBefore(leaf.id),
                },
          )
          .reverse();
    }
  }

  return {
    apply(changes) {
      const before = new Map(scopes);
      for (const change of changes) {
        const { tenant, scope, expectedVersion } = change;
        if (versionOf(tenant, scope) !== expectedVersion) {
          scopes.clear();
          for (const [key, rows] of before) scopes.set(key, rows);
          return false;
        }
        scopes.set(keyOf(tenant, scope), [...leaves(tenant, scope), ...leavesOf(change)]);
      }
      return true;
    },
    memory({ tenant, view, now, id, tag, text, prefix, limit }: MemoryQuery) {
      const seen = new Set<string>();
      const rows: MemoryRow[] = [];
      for (const layer of view) {
        for (const leaf of newest(tenant, layer)) {
          if (seen.has(leaf.id)) continue;
          seen.add(leaf.id);
          if ('forgotten' in leaf || (leaf.expiresAt ?? Number.POSITIVE_INFINITY) <= expiryTime(layer, now))
            continue;
          rows.push(later(leaf, expiryDelay(layer)));
        }
      }
      return rows
        .filter((row) => id === undefined || row.id === id)
        .filter((row) => tag === undefined || row.tags.includes(tag))
        .filter((row) => prefix === undefined || row.id.startsWith(prefix))
        .filter((row) => text === undefined || wordsMatcher(text)(row.content))
        .slice(0, limit);
    },
    scope(tenant, scope): ScopeHead | undefined {
      const version = versionOf(tenant, scope);
      return version === 0 ? undefined : { version, oldest: 0 };
    },
  };
}

function later(row: MemoryRow, by: number): MemoryRow {
  return row.expiresAt === undefined ? row : { ...row, expiresAt: row.expiresAt + by };
}
