import type { Notice } from '@baton/engine';
import { rootRunId } from '@baton/protocol';
import { listenersById } from './listeners.ts';

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
