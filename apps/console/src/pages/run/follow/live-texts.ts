import type { OutputChunk, RunEvent } from '@baton/client';

/** The longest end of a text that is kept while a model writes it. */
const KEPT = 600;

export interface LiveText {
  readonly runId: string;
  readonly nodeId: string;
  /** Counts the parts, of which each is about one token. */
  readonly parts: number;
  readonly end: string;
}

/** The texts that models are writing now. They are shown until the log holds them. */
export interface LiveTexts {
  add(chunk: OutputChunk): void;
  /** An event of a node that says that its text is recorded. */
  settle(event: RunEvent): void;
  all(): readonly LiveText[];
}

export function newLiveTexts(): LiveTexts {
  const texts = new Map<string, LiveText>();
  const key = (runId: string, nodeId: string): string => `${runId}|${nodeId}`;
  return {
    add({ runId, nodeId, chunk }) {
      const before = texts.get(key(runId, nodeId));
      const end = `${before?.end ?? ''}${chunk}`.slice(-KEPT);
      texts.set(key(runId, nodeId), { runId, nodeId, parts: (before?.parts ?? 0) + 1, end });
    },
    settle({ type, runId, nodeId }) {
      if (nodeId === undefined) return;
      const isSettled =
        type === 'baton.effect.settled' ||
        type === 'agent.decided' ||
        type === 'node.completed' ||
        type === 'node.failed' ||
        type === 'node.cancelled';
      if (isSettled) texts.delete(key(runId, nodeId));
    },
    all: () => [...texts.values()],
  };
}
