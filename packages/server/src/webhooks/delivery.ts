import type { DeliveryRow, SettledDelivery } from '@baton/engine/ports';
import { typeOf } from '../events/frames.ts';
import { afterFailure, type Failure } from './after-failure.ts';
import type { FollowedWebhook } from './followed-webhooks.ts';
import { eventMessage, type OutgoingEvent, timestampOf, wantsType } from './message.ts';
import type { Message } from './signatures.ts';
import { type TraceReads, tracesOfRuns } from './traces-of-runs.ts';

/** Events that are sent one after the other before other deliveries have a turn. */
const MOST_AT_ONCE = 32;
const PAGE = 32;

interface DeliveryParts {
  /** Shows events as the API does, without secrets. */
  readonly reads: TraceReads;
  /** Resolves with the reason when the message was not delivered. */
  readonly post: (webhook: FollowedWebhook, message: Message) => Promise<Failure | undefined>;
  /** Whether the webhook still wants deliveries. */
  readonly isWanted: (webhook: FollowedWebhook) => Promise<boolean>;
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
  const { post, isWanted, onProgress, now, random } = parts;
  const find = nextEvent(parts);
  return async (webhook, row) => {
    const { webhookId } = webhook.record;
    let { next, tries, failingSince } = row;
    let sent = 0;
    const delivered = (upTo: number) => ({
      ...({ kind: 'delivered', number: row.number, webhookId, next: upTo } as const),
      ...{ at: now(), reached: sent > 0 },
    });
    for (; sent < MOST_AT_ONCE && (await isWanted(webhook)); sent += 1) {
      const event = await find(webhook, row, next);
      // Also when the log was purged meanwhile: there is nothing left to send.
      if (event === undefined) return { settled: delivered(row.last + 1) };
      const failure = await post(webhook, eventMessage(webhookId, event));
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
  const traceOf = tracesOfRuns(reads);
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
        const traceparent = await traceOf(record.tenant, runId);
        return { tenant: record.tenant, runId, workflowId, sequence: first + index, text, traceparent };
      }
      if (texts.length === 0) return undefined;
      first += texts.length;
      await turnOfOthers();
    }
    return undefined;
  };
}
