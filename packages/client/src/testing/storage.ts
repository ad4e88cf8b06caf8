import type { Slice, Store, StoreReads } from '@baton/engine';
import type { StoreChange, TreeRef } from '@baton/engine/ports';
import { openMemoryStorage } from '@baton/store-sqlite';

/**
 * All tests of a process share one database in memory, because to make one takes longer than a short run. Each test is
 * a tenant of its own: it sees only its own workflows, agents, runs, memory and deadlines.
 */
export interface TenantStorage {
  readonly tenant: string;
  readonly store: Store;
  readonly reads: StoreReads;
}

interface Shared {
  readonly store: Store;
  readonly reads: StoreReads;
  /** Who is told of the changes of a tenant. */
  readonly listeners: Map<string, (change: StoreChange) => void>;
  tenants: number;
}

let opened: Shared | undefined;

function shared(): Shared {
  if (opened === undefined) {
    const listeners: Shared['listeners'] = new Map();
    opened = { ...openMemoryStorage(), listeners, tenants: 0 };
    opened.store.changes((change) => {
      if ('tenant' in change) listeners.get(change.tenant)?.(change);
    });
  }
  return opened;
}

export function tenantStorage(): TenantStorage {
  const all = shared();
  all.tenants += 1;
  const tenant = `test-${all.tenants}`;
  const deadlines = deadlinesOf(all.store);
  const store: Store = {
    ...all.store,
    ...deadlines.queries,
    async commit(slices) {
      const results = await all.store.commit(slices);
      slices.forEach((slice, at) => {
        if (results[at] === 'committed') deadlines.note(slice);
      });
      return results;
    },
    changes(listener) {
      all.listeners.set(tenant, listener);
      return () => void all.listeners.delete(tenant);
    },
  };
  return { tenant, store, reads: all.reads };
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
