import { type Lit, litBy } from '../model/causes.ts';
import type { TreeStore } from './tree-store.ts';

/** The moment that the page shows: the position of an event, or the newest event as long as nobody chooses one. */
export interface Moment {
  /** The position of the event, or -1 before the first one. */
  position(): number;
  isLive(): boolean;
  /** Chooses a position; `undefined` follows the newest event. */
  set(position: number | undefined): void;
  subscribe(listener: () => void): () => void;
}

export function momentOf(store: TreeStore): Moment {
  const listeners = new Set<() => void>();
  let chosen: number | undefined;
  const newest = (): number => store.tree.entries.length - 1;
  return {
    position: () => Math.min(chosen ?? newest(), newest()),
    isLive: () => chosen === undefined,
    set(position) {
      const next = position === undefined ? undefined : Math.max(0, position);
      if (next === chosen) return;
      chosen = next;
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      const leave = store.subscribe(listener);
      return () => {
        listeners.delete(listener);
        leave();
      };
    },
  };
}

/** The event that the pointer or the focus is on, whose causes and effects are lit up in every view. */
export interface Pointed {
  /** The event with its causes and effects. The same object until another event is pointed at. */
  lit(): Lit | undefined;
  set(position: number | undefined): void;
  subscribe(listener: () => void): () => void;
}

export function pointedIn(store: TreeStore): Pointed {
  const listeners = new Set<() => void>();
  let lit: Lit | undefined;
  return {
    lit: () => lit,
    set(position) {
      if (position === lit?.position) return;
      lit = position === undefined ? undefined : litBy(store.tree, position);
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
