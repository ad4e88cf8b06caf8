import type { Notice } from '@baton/engine';

/**
 * Who wants to know when a run moves. A notice says only that there is something to read: the events
 * themselves are read from the store, so a slow listener costs the others nothing.
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
