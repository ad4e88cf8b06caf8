import type { Notice } from '@baton/engine';
import { isTerminal } from '@baton/protocol';
import type { Feed } from './feed.ts';

/** What notices have said about a run since the watch began. */
export interface RunWatch {
  hasEnded(): boolean;
  /** Calls `listener` for each notice from now on. */
  listen(listener: (status: Notice['status']) => void): void;
  stop(): void;
}

export function watchRun(feed: Feed, runId: string): RunWatch {
  let hasEnded = false;
  let tell: ((status: Notice['status']) => void) | undefined;
  const stop = feed.watch(runId, ({ status }) => {
    hasEnded ||= isTerminal(status);
    tell?.(status);
  });
  return {
    hasEnded: () => hasEnded,
    listen(listener) {
      tell = listener;
    },
    stop,
  };
}
