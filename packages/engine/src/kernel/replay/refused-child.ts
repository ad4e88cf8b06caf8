import { type RunError, type RunEvent, runError } from '@baton/protocol';
import type { WorkingRun } from '../working-run.ts';
import { followed, readOn } from './source.ts';

/** Whether the source started the child of a node, or was refused. */
type RecordedStart = { readonly kind: 'started' } | { readonly kind: 'refused'; readonly error: RunError };

/**
 * Whether a child could be started depended on the workflows that were registered then, on their versions and
 * on the limits of the host. These are not in the log and may have changed. So a replay takes the refusal
 * from its source. `undefined` when the log of the source does not say.
 */
export function recordedStart(working: WorkingRun, nodeId: string): RecordedStart | 'unknown' | undefined {
  const source = followed(working);
  if (source === undefined) return undefined;
  for (const { event } of source.ahead) {
    if (event.sequence < working.run.head || event.nodeId !== nodeId) continue;
    const found = startIn(event);
    if (found !== undefined) return found;
  }
  return source.complete ? undefined : readOn(working);
}

function startIn(event: RunEvent): RecordedStart | undefined {
  switch (event.type) {
    case 'node.dispatched':
    case 'baton.critic.started':
      return { kind: 'started' };
    case 'core.workflowChain.event':
      return event.payload.phase === 'dispatch.failed' ? refusedWith(event.payload.error) : undefined;
    case 'baton.worker.settled':
      return refusedWith(event.payload.error);
    case 'baton.merge.settled':
      // When a critic cannot be started, the work that it should judge fails.
      return event.payload.why === 'stopped' ? undefined : refusedWith(undefined);
    case 'node.failed':
      return refusedWith(event.payload.error);
    case 'node.retried':
      return refusedWith(event.payload.lastError);
    default:
      return undefined;
  }
}

function refusedWith(error: RunError | undefined): RecordedStart {
  return { kind: 'refused', error: error ?? runError('child_failed') };
}
