import type { Baton, LiveItem } from '@baton/client';
import type { RunEvent } from '@baton/protocol';
import { foldChunk, foldEvent } from './fold-event.ts';
import { newView, type RunView, type Views } from './view.ts';

/** Follows a run and its descendants, and keeps the views of all of them. */

/** More runs of one tree are not followed at the same time. Their parents still tell when they start and end. */
const MOST_FOLLOWED = 24;

export interface Followed {
  readonly views: Views;
  /** The event that changed the views. Absent if a part of a text did. */
  readonly event?: RunEvent;
}

interface FollowOptions {
  readonly signal: AbortSignal;
  readonly now: () => number;
  /** Called after each change. */
  changed(followed: Followed): void;
}

/** Resolves when the run and all its followed descendants have ended. */
export async function followTree(baton: Baton, rootId: string, options: FollowOptions): Promise<Views> {
  const views = new Map<string, RunView>();
  let followed = 0;

  async function follow(runId: string): Promise<void> {
    const children: Promise<void>[] = [];
    views.set(runId, newView(runId));
    followed += 1;
    for await (const item of baton.run(runId).live({ signal: options.signal })) {
      const child = take(runId, item);
      const isNew = child !== undefined && !views.has(child) && followed < MOST_FOLLOWED;
      // A child whose log cannot be read stays one line; its parent tells how it ended.
      if (isNew) children.push(follow(child).catch(() => undefined));
    }
    followed -= 1;
    await Promise.all(children);
  }

  /** Returns the run that the item says has started. */
  function take(runId: string, item: LiveItem): string | undefined {
    const view = views.get(runId) ?? newView(runId);
    if (item.kind === 'chunk') {
      views.set(runId, foldChunk(view, item.chunk, options.now()));
      options.changed({ views });
      return undefined;
    }
    views.set(runId, foldEvent(view, item.event));
    options.changed({ views, event: item.event });
    return startedBy(item.event);
  }

  await follow(rootId);
  return views;
}

function startedBy(event: RunEvent): string | undefined {
  if (event.type === 'node.dispatched') return event.payload.childRunId;
  if (event.type === 'baton.critic.started') return event.payload.criticRunId;
  return undefined;
}
