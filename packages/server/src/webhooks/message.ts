import { createHash } from 'node:crypto';
import type { CommittedEvent, QueuedRun, WebhookRecord } from '@baton/engine/ports';
import { typeOf } from '../events/frames.ts';
import type { Message } from './signatures.ts';

/** An event on its way to a webhook. `text` is what the API shows of it. */
export interface OutgoingEvent {
  readonly tenant: string;
  readonly runId: string;
  readonly workflowId: string;
  readonly sequence: number;
  readonly text: string;
  readonly traceparent: string;
}

/** Has no dot, because the signed text joins the id and the body with dots. */
export function deliveryIdOf(webhookId: string, runId: string, sequence: number): string {
  const digest = createHash('sha256').update(`${webhookId} ${runId} ${sequence}`).digest('base64url');
  return `msg_${digest.slice(0, 27)}`;
}

/** The body has the members of OpenWOP (`runId`, `workspaceId`, `event`), and `type` and `timestamp` beside them. */
export function eventMessage(webhookId: string, event: OutgoingEvent): Message {
  const { tenant, runId, workflowId, sequence, text, traceparent } = event;
  const type = typeOf(text);
  const around = { type, timestamp: timestampOf(text), runId, workflowId, workspaceId: tenant };
  return {
    id: deliveryIdOf(webhookId, runId, sequence),
    webhookId,
    type,
    traceparent,
    // The text is inserted as it is, because it may be long.
    body: `${JSON.stringify(around).slice(0, -1)},"event":${text}}`,
  };
}

export function pingMessage(webhookId: string, tenant: string, random: string, now: number): Message {
  const type = 'webhook.ping';
  return {
    id: deliveryIdOf(webhookId, random, 0),
    webhookId,
    type,
    body: JSON.stringify({ type, timestamp: new Date(now).toISOString(), workspaceId: tenant }),
  };
}

const TIMESTAMP = '"timestamp":"';

/** As the type, the time comes before every value that a workflow can choose. */
export function timestampOf(event: string): string {
  const start = event.indexOf(TIMESTAMP) + TIMESTAMP.length;
  return event.slice(start, event.indexOf('"', start));
}

/** Whether a webhook wants events of this type. */
export function wantsType({ events }: Pick<WebhookRecord, 'events'>, type: string): boolean {
  return events.includes('*') || events.includes(type);
}

/** Whether a webhook is told an event. A replay repeats what its source has told already. */
function isTold(webhook: WebhookRecord, event: CommittedEvent): boolean {
  const { tenant, workflows, tags } = webhook;
  return (
    event.tenant === tenant &&
    event.forkMode !== 'replay' &&
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
