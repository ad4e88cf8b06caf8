/** A part of the text that an effect of a node brings. */
export interface LiveChunk {
  readonly runId: string;
  readonly nodeId: string;
  /** The step of the effect: a node may perform several at once. */
  readonly channel: string;
  readonly chunk: string;
  readonly isLast: boolean;
}

/**
 * Tells readers the parts of texts as they arrive, before they are recorded. A reader that is not there misses
 * them, and finds them later in the log, where several parts are one event.
 */
export interface LiveChunks {
  watch(runId: string, listener: (chunk: LiveChunk) => void): () => void;
  publish(chunk: LiveChunk): void;
}

export function liveChunks(): LiveChunks {
  const watchers = new Map<string, Set<(chunk: LiveChunk) => void>>();
  return {
    watch(runId, listener) {
      const listeners = watchers.get(runId) ?? new Set();
      watchers.set(runId, listeners.add(listener));
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0 && watchers.get(runId) === listeners) watchers.delete(runId);
      };
    },
    publish(chunk) {
      for (const listener of [...(watchers.get(chunk.runId) ?? [])]) listener(chunk);
    },
  };
}
