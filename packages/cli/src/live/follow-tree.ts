import type { Baton, ConnectionState } from '@baton/client';
import type { RunEvent } from '@baton/protocol';
import { foldChunk, foldEvent } from './fold-event.ts';
import { newView, type RunView, type Views } from './view.ts';

/** Follows a run and its descendants, and keeps the views of all of them. */

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
  /** Called when the connection to the host is lost, and when it is back. */
  connected(isConnected: boolean): void;
}

/** Resolves when the run and all its descendants have ended. */
export async function followTree(baton: Baton, rootId: string, options: FollowOptions): Promise<Views> {
  const views = new Map<string, RunView>([[rootId, newView(rootId)]]);
  const viewOf = (runId: string): RunView => views.get(runId) ?? newView(runId);
  const onConnection = (state: ConnectionState): void => options.connected(state === 'open');
  for await (const item of baton.run(rootId).tree({ signal: options.signal, onConnection })) {
    if (item.kind === 'chunk') {
      const { chunk } = item;
      views.set(chunk.runId, foldChunk(viewOf(chunk.runId), chunk, options.now()));
      options.changed({ views });
    } else {
      views.set(item.runId, foldEvent(viewOf(item.runId), item.event));
      options.changed({ views, event: item.event });
    }
  }
  return views;
}
