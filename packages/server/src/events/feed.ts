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
  publish(notices: readonly Notice[]): void;
}

export function createFeed(): Feed {
  const runs = watchers();
  const trees = watchers();
  return {
    watch: runs.add,
    watchTree: trees.add,
    publish(notices) {
      if (runs.isEmpty() && trees.isEmpty()) return;
      for (const notice of notices) {
        runs.tell(notice.runId, notice);
        if (!trees.isEmpty()) trees.tell(rootRunId(notice.runId), notice);
      }
    },
  };
}

function watchers() {
  const byId = new Map<string, Set<(notice: Notice) => void>>();
  return {
    isEmpty: () => byId.size === 0,
    add(id: string, listener: (notice: Notice) => void): () => void {
      const listeners = byId.get(id) ?? new Set();
      byId.set(id, listeners.add(listener));
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0 && byId.get(id) === listeners) byId.delete(id);
      };
    },
    tell(id: string, notice: Notice): void {
      const listeners = byId.get(id);
      if (listeners !== undefined) for (const listener of [...listeners]) listener(notice);
    },
  };
}
