import type { Notice } from '@baton/engine';
import { rootRunId } from '@baton/protocol';

/**
 * Listeners that are called when a run has new events. A notice only says that there are new events. A
 * listener reads the events from the store, so a slow listener does not delay the others.
 */
export interface Feed {
  watch(runId: string, listener: (notice: Notice) => void): () => void;
  /** Listens to a root run and all its descendants. */
  watchTree(rootId: string, listener: (notice: Notice) => void): () => void;
  /** Listens to all runs of all tenants. */
  watchAll(listener: (notices: readonly Notice[]) => void): () => void;
  publish(notices: readonly Notice[]): void;
  /** The runs and the roots of trees that somebody listens to. */
  watched(): { readonly runs: readonly string[]; readonly trees: readonly string[] };
}

export function createFeed(): Feed {
  const runs = listenersById<Notice>();
  const trees = listenersById<Notice>();
  const all = new Set<(notices: readonly Notice[]) => void>();
  return {
    watch: runs.add,
    watchTree: trees.add,
    watchAll(listener) {
      all.add(listener);
      return () => void all.delete(listener);
    },
    watched: () => ({ runs: runs.ids(), trees: trees.ids() }),
    publish(notices) {
      for (const listener of [...all]) listener(notices);
      if (runs.isEmpty() && trees.isEmpty()) return;
      for (const notice of notices) {
        runs.tell(notice.runId, notice);
        if (!trees.isEmpty()) trees.tell(rootRunId(notice.runId), notice);
      }
    },
  };
}

/** Listeners by the id of a run or of a tree. */
export function listenersById<Told>() {
  const byId = new Map<string, Set<(told: Told) => void>>();
  return {
    isEmpty: () => byId.size === 0,
    ids: () => [...byId.keys()],
    /** Returns a function that removes the listener. */
    add(id: string, listener: (told: Told) => void): () => void {
      const listeners = byId.get(id) ?? new Set();
      byId.set(id, listeners.add(listener));
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0 && byId.get(id) === listeners) byId.delete(id);
      };
    },
    tell(id: string, told: Told): void {
      const listeners = byId.get(id);
      if (listeners !== undefined) for (const listener of [...listeners]) listener(told);
    },
  };
}
