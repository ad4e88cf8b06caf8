import type { Notice } from '@baton/engine';
import { isTerminal } from '@baton/protocol';
import type { Feed } from './feed.ts';

/** What notices have said about a run since the watch began. */
export interface RunWatch {
  hasEnded(): boolean;
  /** The highest sequence that a notice has told, or infinity before the first notice. */
  newest(): number;
  /** Calls `listener` for each notice from now on. */
  listen(listener: (status: Notice['status']) => void): void;
  stop(): void;
}

export function watchRun(feed: Feed, runId: string): RunWatch {
  let hasEnded = false;
  let newest: number | undefined;
  let tell: ((status: Notice['status']) => void) | undefined;
  const stop = feed.watch(runId, ({ status, lastSequence }) => {
    newest = Math.max(newest ?? 0, lastSequence);
    hasEnded ||= isTerminal(status);
    tell?.(status);
  });
  return {
    hasEnded: () => hasEnded,
    newest: () => newest ?? Number.POSITIVE_INFINITY,
    listen(listener) {
      tell = listener;
    },
    stop,
  };
}
