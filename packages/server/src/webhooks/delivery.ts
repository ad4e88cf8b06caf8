import type { DeliveryRow, LogReads, RunReads, SettledDelivery } from '@baton/engine/ports';
import { typeOf } from '../events/event-text.ts';
import { traceparentOfRun } from '../traces/traceparent-of-run.ts';
import { afterFailure, type Failure } from './after-failure.ts';
import type { FollowedWebhook } from './followed-webhooks.ts';
import { wantsType } from './matching.ts';
import { eventMessage, type OutgoingEvent, timestampOf } from './message.ts';
import type { Message } from './signatures.ts';

/** Events that are sent one after the other before other deliveries have a turn. */
const MOST_AT_ONCE = 32;
const PAGE = 32;

interface DeliveryParts {
  /** Shows events as the API does, without secrets. */
  readonly reads: Pick<LogReads, 'events'> & Pick<RunReads, 'run'>;
  /** Resolves with the reason when the message was not delivered. */
  readonly post: (webhook: FollowedWebhook, message: Message) => Promise<Failure | undefined>;
  /** Whether the webhook still wants deliveries. */
  readonly isWanted: (webhook: FollowedWebhook) => boolean;
  /** Notes how far the delivery has come. It need not be stored at once. */
  readonly onProgress: (settled: SettledDelivery) => void;
  readonly turnOfOthers: () => Promise<void>;
  readonly now: () => number;
  readonly random: () => number;
}

export interface DeliveryResult {
  /** Absent when nothing was tried. */
  readonly settled?: SettledDelivery;
  readonly failure?: Failure;
}

/** Sends the waiting events of one run to a webhook, one after the other, until one fails. */
export function delivering(
  parts: DeliveryParts,
): (webhook: FollowedWebhook, row: DeliveryRow) => Promise<DeliveryResult> {
  const { reads, post, isWanted, onProgress, now, random } = parts;
  const find = nextEvent(parts);
  return async (webhook, row) => {
    const { webhookId, tenant } = webhook.record;
    let { next, tries, failingSince } = row;
    let sent = 0;
    let traceparent: string | undefined;
    const delivered = (upTo: number) => ({
      ...({ kind: 'delivered', number: row.number, webhookId, next: upTo } as const),
      ...{ at: now(), reached: sent > 0 },
    });
    for (; sent < MOST_AT_ONCE && isWanted(webhook); sent += 1) {
      const event = await find(webhook, row, next);
      // Also when the log was purged meanwhile: there is nothing left to send.
      if (event === undefined) return { settled: delivered(row.last + 1) };
      traceparent ??= await traceparentOfRun(reads, tenant, row.runId);
      const failure = await post(webhook, { ...eventMessage(webhookId, event), traceparent });
      if (failure !== undefined) {
        const settled = afterFailure({
          ...{ webhookId, failure, sequence: event.sequence, now: now(), random: random() },
          row: { number: row.number, tries, ...(failingSince !== undefined && { failingSince }) },
          happenedAt: Date.parse(timestampOf(event.text)),
        });
        return { settled, failure };
      }
      next = event.sequence + 1;
      tries = 0;
      failingSince = undefined;
      if (next <= row.last) onProgress({ ...delivered(next), reached: true });
      else return { settled: { ...delivered(next), reached: true } };
    }
    return sent === 0 ? {} : { settled: delivered(next) };
  };
}

/** Finds the next event of a delivery that the webhook wants. */
function nextEvent({ reads, turnOfOthers }: DeliveryParts) {
  return async (
    { record }: FollowedWebhook,
    { runId, workflowId, last }: DeliveryRow,
    from: number,
  ): Promise<OutgoingEvent | undefined> => {
    for (let first = from; first <= last; ) {
      const texts = await reads.events(record.tenant, runId, first, Math.min(PAGE, last + 1 - first));
      const index = texts.findIndex((text) => wantsType(record, typeOf(text)));
      const text = texts[index];
      if (text !== undefined) {
        return { tenant: record.tenant, runId, workflowId, sequence: first + index, text };
      }
      if (texts.length === 0) return undefined;
      first += texts.length;
      await turnOfOthers();
    }
    return undefined;
  };
}
