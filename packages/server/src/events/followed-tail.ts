import type { RunOfTenant } from '../runs/run-of.ts';
import { FRESH_EVENTS } from '../thread/fresh-events.ts';
import type { LogTails } from './log-tails.ts';
import type { FrameSource } from './sources.ts';
import type { RunWatch } from './watch-run.ts';

interface Reading {
  readonly next: FrameSource;
  readonly watch: RunWatch;
}

/**
 * The same reading of a log. Once it has come far enough, the new events of the log are kept in memory until the watch
 * is stopped, so that they need not be read from the store.
 */
export function followedTail(
  tails: Pick<LogTails, 'follow'>,
  run: RunOfTenant,
  { next, watch }: Reading,
): Reading {
  let stopTail: (() => void) | undefined;
  let isStopped = false;
  return {
    async next() {
      const frames = await next();
      const isLong = frames !== undefined && !frames.ended && (frames.upTo ?? 0) >= FRESH_EVENTS;
      // The reader may have gone meanwhile.
      if (isLong && !isStopped) stopTail ??= tails.follow(run);
      return frames;
    },
    watch: {
      ...watch,
      stop() {
        isStopped = true;
        watch.stop();
        stopTail?.();
        stopTail = undefined;
      },
    },
  };
}
