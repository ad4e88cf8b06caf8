import { effectSlots } from '@baton/engine';
import type { DeliveryRow, WebhookReads } from '@baton/engine/ports';
import type { Failure } from './after-failure.ts';
import { waitBefore } from './after-failure.ts';
import type { DeliveryResult } from './delivery.ts';
import type { FollowedWebhook, FollowedWebhooks } from './followed-webhooks.ts';

/** Deliveries of all tenants at once. */
const SLOTS = 32;
/** Deliveries of one webhook at once, so that a slow receiver does not take the share of its tenant. */
const SLOTS_OF_WEBHOOK = 8;
/** After so many failures in a row, a receiver is tried by one delivery at a time, with pauses. */
const TROUBLED = 4;

interface DispatchingParts {
  readonly webhooks: FollowedWebhooks;
  readonly reads: Pick<WebhookReads, 'dueDeliveries' | 'nextDelivery'>;
  readonly deliver: (webhook: FollowedWebhook, row: DeliveryRow) => Promise<DeliveryResult>;
  /** Stores the result, and does what follows from it. */
  readonly settle: (webhook: FollowedWebhook, result: DeliveryResult) => Promise<void>;
  readonly now: () => number;
  readonly random: () => number;
  readonly after: (ms: number, run: () => void) => () => void;
  readonly isStopping: () => boolean;
  readonly onProblem: (problem: unknown) => void;
}

/** Begins the deliveries whose time has come. Tenants share the slots fairly. */
interface Dispatching {
  /** Looks for deliveries of a webhook that can begin. */
  look(webhook: FollowedWebhook): void;
  /** Resolves when no delivery is under way. */
  idle(): Promise<void>;
  stop(): void;
}

export function dispatching(parts: DispatchingParts): Dispatching {
  const { webhooks, reads, deliver, settle, now, random, after, isStopping, onProblem } = parts;
  const slots = effectSlots(SLOTS);
  const looking = new Map<FollowedWebhook, 'once' | 'again'>();
  const alarms = new Map<FollowedWebhook, () => void>();
  const underWay = new Set<Promise<void>>();

  function look(webhook: FollowedWebhook): void {
    if (looking.has(webhook)) looking.set(webhook, 'again');
    else track(lookNow(webhook));
  }

  async function lookNow(webhook: FollowedWebhook): Promise<void> {
    do {
      looking.set(webhook, 'once');
      try {
        await beginDue(webhook);
      } catch (problem) {
        onProblem(problem);
      }
    } while (looking.get(webhook) === 'again');
    looking.delete(webhook);
  }

  async function beginDue(webhook: FollowedWebhook): Promise<void> {
    const { record, busy } = webhook;
    alarms.get(webhook)?.();
    const free = (webhook.failures >= TROUBLED ? 1 : SLOTS_OF_WEBHOOK) - busy.size;
    if (!isCurrent(webhook) || free <= 0) return;
    if (webhook.restsUntil > now()) return ring(webhook, webhook.restsUntil);
    // Deliveries under way may be among those that are due.
    const due = await reads.dueDeliveries(record.webhookId, now(), free + busy.size);
    if (!isCurrent(webhook)) return;
    let left = free;
    for (const row of due) {
      if (left === 0 || busy.has(row.runId)) continue;
      left -= 1;
      begin(webhook, row);
    }
    if (left === 0) return;
    const next = await reads.nextDelivery(record.webhookId);
    if (next !== undefined && next > now()) ring(webhook, next);
  }

  function isCurrent(webhook: FollowedWebhook): boolean {
    return !isStopping() && webhooks.isActive(webhook);
  }

  function begin(webhook: FollowedWebhook, row: DeliveryRow): void {
    webhook.busy.add(row.runId);
    const { tenant } = webhook.record;
    const ended = new Promise<void>((resolve) => {
      const end = slots.add({ kind: 'webhook', tenant }, () => {
        carryOut(webhook, row)
          .catch(onProblem)
          .finally(() => {
            end();
            webhook.busy.delete(row.runId);
            look(webhook);
            resolve();
          });
      });
    });
    track(ended);
  }

  async function carryOut(webhook: FollowedWebhook, row: DeliveryRow): Promise<void> {
    if (!isCurrent(webhook)) return;
    const result = await deliver(webhook, row);
    if (isStopping()) return;
    note(webhook, result.failure);
    await settle(webhook, result);
  }

  function note(webhook: FollowedWebhook, failure: Failure | undefined): void {
    webhook.failures = failure === undefined ? 0 : webhook.failures + 1;
    const rest = webhook.failures >= TROUBLED ? waitBefore(webhook.failures - TROUBLED + 1, random()) : 0;
    webhook.restsUntil = rest === 0 ? 0 : now() + Math.min(rest, LONGEST_REST_MS);
  }

  function ring(webhook: FollowedWebhook, at: number): void {
    alarms.get(webhook)?.();
    const cancel = after(Math.min(Math.max(at - now(), 1), LONGEST_ALARM_MS), () => {
      alarms.delete(webhook);
      look(webhook);
    });
    alarms.set(webhook, () => {
      alarms.delete(webhook);
      cancel();
    });
  }

  function track(work: Promise<void>): void {
    underWay.add(work);
    void work.finally(() => underWay.delete(work));
  }

  return {
    look,
    async idle() {
      while (underWay.size > 0) await Promise.all(underWay);
    },
    stop() {
      for (const cancel of [...alarms.values()]) cancel();
    },
  };
}

/** A receiver that works again is noticed within this time. */
const LONGEST_REST_MS = 60_000;
/** Timers of Node.js cannot wait longer than 24 days. */
const LONGEST_ALARM_MS = 86_400_000;
