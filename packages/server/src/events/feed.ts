import type { Notice } from '@baton/engine';

/**
 * Listeners that are called when a run has new events. A notice only says that there are new events. A
 * listener reads the events from the store, so a slow listener does not delay the others.
 */
export interface Feed {
  watch(runId: string, listener: (notice: Notice) => void): () => void;
  publish(notices: readonly Notice[]): void;
}

export function createFeed(): Feed {
  const watchers = new Map<string, Set<(notice: Notice) => void>>();
  return {
    watch(runId, listener) {
      const listeners = watchers.get(runId) ?? new Set();
      watchers.set(runId, listeners.add(listener));
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0 && watchers.get(runId) === listeners) watchers.delete(runId);
      };
    },
    publish(notices) {
      if (watchers.size === 0) return;
      for (const notice of notices) {
        const listeners = watchers.get(notice.runId);
        if (listeners !== undefined) for (const listener of [...listeners]) listener(notice);
      }
    },
  };
}
