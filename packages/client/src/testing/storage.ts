import type { Slice, Store, StoreReads } from '@baton/engine';
import { changeListeners, type TreeRef } from '@baton/engine/ports';
import { openMemoryStorage } from '@baton/store-sqlite';
import type { Library } from './library.ts';

/**
 * All tests of a process share one database in memory, because to make one takes longer than a short run. Each test is
 * a tenant of its own: it sees only its own runs, memory and deadlines, and the workflows and agents of its library.
 */
export interface TenantStorage {
  readonly tenant: string;
  readonly store: Store;
  readonly reads: StoreReads;
}

let shared: ReturnType<typeof openMemoryStorage> | undefined;
let tenants = 0;

export function tenantStorage(library: Library): TenantStorage {
  shared ??= openMemoryStorage();
  const { store: all, reads } = shared;
  tenants += 1;
  const deadlines = deadlinesOf(all);
  // Told by this test alone: an engine that listened to the whole store would be kept as long as the store.
  const { changes, tell } = changeListeners();
  const store: Store = {
    ...all,
    ...deadlines.queries,
    ...library,
    changes,
    async commit(slices) {
      const results = await all.commit(slices);
      for (const slice of slices.filter((_, at) => results[at] === 'committed')) {
        deadlines.note(slice);
        for (const { tenant, scope } of slice.memory ?? []) tell({ kind: 'scope', tenant, scope });
      }
      return results;
    },
  };
  return { tenant: `test-${tenants}`, store, reads: { ...reads, ...library } };
}

/** The deadlines of the trees that were stored here. */
function deadlinesOf(store: Store) {
  const times = new Map<string, number>();
  const refOf = async (rootId: string): Promise<TreeRef | undefined> => {
    const row = await store.run(rootId);
    if (row === undefined) return undefined;
    const { tenant, workflowId, workflowVersion } = row;
    return { rootId, tenant, workflowId, workflowVersion };
  };
  const queries: Pick<Store, 'due' | 'nextWake' | 'unfinished'> = {
    // Nothing is left from an earlier process.
    unfinished: async () => [],
    nextWake: async () => (times.size === 0 ? undefined : Math.min(...times.values())),
    async due(now) {
      const ids = [...times].filter(([, at]) => at <= now).sort(([, one], [, other]) => one - other);
      const found = await Promise.all(ids.map(([rootId]) => refOf(rootId)));
      return { items: found.filter((ref) => ref !== undefined) };
    },
  };
  return {
    queries,
    note({ rootId, wake }: Slice): void {
      if (wake === undefined) return;
      if (wake.at === null) times.delete(rootId);
      else times.set(rootId, wake.at);
    },
  };
}
