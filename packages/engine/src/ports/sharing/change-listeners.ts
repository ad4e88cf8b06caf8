import type { ChangeFeed, StoreChange } from '../changes.ts';

/** A feed for code that makes the changes itself, or hears of them from elsewhere. */
export interface ChangeListeners extends ChangeFeed {
  tell(change: StoreChange): void;
}

export function changeListeners(): ChangeListeners {
  const listeners = new Set<(change: StoreChange) => void>();
  return {
    changes(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    tell(change) {
      for (const listener of listeners) listener(change);
    },
  };
}
