import type { ChangeFeed } from '@baton/engine/ports';

/** Counts registrations of workflows, so that a cache knows whether it is older than the newest one. */
export interface WorkflowShelf {
  /** Grows with every registration. */
  revision(): number;
}

export function createShelf(feed: ChangeFeed): WorkflowShelf {
  let revision = 0;
  feed.changes(({ kind }) => {
    if (kind === 'workflow' || kind === 'missed') revision += 1;
  });
  return { revision: () => revision };
}
