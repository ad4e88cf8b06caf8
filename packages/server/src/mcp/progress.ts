import type { RunRow } from '@baton/engine/ports';
import type { RunEvent } from '@baton/protocol';
import type { McpCall, RequestMeta } from './call.ts';

/** Tells the caller of a tool how its run goes on, if the caller has asked for progress. */

export interface Notification {
  readonly method: string;
  readonly params: Record<string, unknown>;
}

/** Events that are read at most for one notification. */
const MOST_EVENTS = 200;

/**
 * One notification for each commit of the run, with its newest event about a node. The progress is the number of events
 * that the run has recorded, so it only grows; the total is not known.
 */
export function progressFor(
  { host, identity }: McpCall,
  meta: RequestMeta,
  notify: (notification: Notification) => Promise<void>,
): (row: RunRow) => Promise<void> {
  const token = meta?.progressToken;
  if (typeof token !== 'string' && typeof token !== 'number') return async () => undefined;
  let told = 0;
  return async ({ runId, head }) => {
    if (head <= told) return;
    const from = Math.max(told, head - MOST_EVENTS);
    const texts = await host.reads.events(identity.tenant, runId, from, head - from);
    told = head;
    const newest = texts.map((text) => JSON.parse(text) as RunEvent).findLast(isAboutNode);
    if (newest === undefined) return;
    const message = `${newest.type} ${newest.nodeId}`;
    await notify({
      method: 'notifications/progress',
      params: { progressToken: token, progress: head, message },
    });
  };
}

function isAboutNode({ type, nodeId }: RunEvent): boolean {
  return type.startsWith('node.') && nodeId !== undefined;
}
