import type { Logger } from 'pino';
import { createFeed } from '../events/feed.ts';
import { lookAgainWhenMissed } from '../events/look-again.ts';
import type { HostContext } from '../http/context.ts';
import { createFairSchedule } from '../http/fair-schedule.ts';
import { changedRuns } from '../runs/watching/changed-runs.ts';
import type { ThreadedEngine } from '../thread/threaded-engine.ts';
import { unreferenced } from './timers.ts';

interface HostFeedParts extends Pick<HostContext, 'reads' | 'telling'> {
  readonly engine: ThreadedEngine;
  readonly log: Logger;
}

/** What readers are told of new events and of changed runs, and the turns in which requests are served. */
export function hostFeed({ engine, reads, telling, log }: HostFeedParts) {
  const feed = createFeed();
  engine.onNotices(feed.publish);
  const turns = createFairSchedule();
  const { changes } = engine;
  lookAgainWhenMissed({ feed, changes, reads, log });
  return {
    feed,
    turns,
    changedRuns: changedRuns({ feed, changes, reads, telling, turns, later: unreferenced, log }),
  };
}
