import { rootRunId } from '@baton/protocol';
import { listenersById } from '../events/feed.ts';

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
  /** Listens to a root run and all its descendants. */
  watchTree(rootId: string, listener: (chunk: LiveChunk) => void): () => void;
  publish(chunk: LiveChunk): void;
}

export function liveChunks(): LiveChunks {
  const runs = listenersById<LiveChunk>();
  const trees = listenersById<LiveChunk>();
  return {
    watch: runs.add,
    watchTree: trees.add,
    publish(chunk) {
      runs.tell(chunk.runId, chunk);
      if (!trees.isEmpty()) trees.tell(rootRunId(chunk.runId), chunk);
    },
  };
}
