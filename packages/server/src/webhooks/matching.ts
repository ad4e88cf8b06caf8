import type { CommittedEvent, QueuedRun, WebhookRecord } from '@baton/engine/ports';
import { typeOf } from '../events/event-text.ts';

/** Whether a webhook wants events of this type. */
export function wantsType({ events }: Pick<WebhookRecord, 'events'>, type: string): boolean {
  return events.includes('*') || events.includes(type);
}

/**
 * Whether a webhook is told an event. A replay repeats what its source has told already. The events of an imported run
 * happened on another host.
 */
function isTold(webhook: WebhookRecord, event: CommittedEvent): boolean {
  const { tenant, workflows, tags } = webhook;
  return (
    event.tenant === tenant &&
    event.forkMode !== 'replay' &&
    !event.isImported &&
    wantsType(webhook, typeOf(event.beginning)) &&
    (workflows.length === 0 || workflows.includes(event.workflowId)) &&
    (tags.length === 0 || tags.some((tag) => event.tags.includes(tag)))
  );
}

/** The runs of which a webhook is told events, with the first and the last of these events. */
export function toldRuns(webhook: WebhookRecord, events: readonly CommittedEvent[]): readonly QueuedRun[] {
  const runs = new Map<string, QueuedRun>();
  for (const event of events) {
    if (!isTold(webhook, event)) continue;
    const { runId, sequence } = event;
    runs.set(runId, { runId, first: runs.get(runId)?.first ?? sequence, last: sequence });
  }
  return [...runs.values()];
}
