import type { ChangeFeed, Slice, StoreChange } from '@baton/engine/ports';

/** The feed of a store with one writer: every change is made through this store. */
interface LocalFeed extends ChangeFeed {
  tell(change: StoreChange): void;
  /** Tells what these slices changed. */
  committed(slices: readonly Slice[]): void;
}

export function localFeed(): LocalFeed {
  const listeners = new Set<(change: StoreChange) => void>();

  function tell(change: StoreChange): void {
    for (const listener of listeners) listener(change);
  }

  return {
    changes(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    tell,
    committed(slices) {
      for (const { memory = [] } of slices) {
        for (const { tenant, scope } of memory) tell({ kind: 'scope', tenant, scope });
      }
    },
  };
}
