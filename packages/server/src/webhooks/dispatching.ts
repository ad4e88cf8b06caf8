import { effectSlots } from '@baton/engine';
import type { DeliveryRow, WebhookReads } from '@baton/engine/ports';
import { type Failure, waitBefore } from './after-failure.ts';
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
  const alarm = alarms<FollowedWebhook>(after, now);
  const underWay = workUnderWay();

  function look(webhook: FollowedWebhook): void {
    if (looking.has(webhook)) looking.set(webhook, 'again');
    else underWay.add(lookNow(webhook));
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
    alarm.cancel(webhook);
    const free = (webhook.failures >= TROUBLED ? 1 : SLOTS_OF_WEBHOOK) - busy.size;
    if (!isCurrent(webhook) || free <= 0) return;
    // A timer may ring a moment early. What is not due at this time is waited for, even if it is due right afterwards.
    const at = now();
    if (webhook.restsUntil > at) return alarm.ring(webhook, webhook.restsUntil, () => look(webhook));
    // Deliveries under way may be among those that are due.
    const due = await reads.dueDeliveries(record.webhookId, at, free + busy.size);
    if (!isCurrent(webhook)) return;
    let left = free;
    for (const row of due) {
      if (left === 0 || busy.has(row.runId)) continue;
      left -= 1;
      begin(webhook, row);
    }
    if (left === 0) return;
    const next = await reads.nextDelivery(record.webhookId);
    if (next !== undefined && next > at) alarm.ring(webhook, next, () => look(webhook));
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
    underWay.add(ended);
  }

  async function carryOut(webhook: FollowedWebhook, row: DeliveryRow): Promise<void> {
    if (!isCurrent(webhook)) return;
    const result = await deliver(webhook, row);
    if (isStopping()) return;
    if (result.settled !== undefined) noteOutcome(webhook, result.failure, now(), random());
    await settle(webhook, result);
  }

  return { look, idle: underWay.idle, stop: alarm.stop };
}

/** A receiver that works again is noticed within this time. */
const LONGEST_REST_MS = 60_000;

function noteOutcome(
  webhook: FollowedWebhook,
  failure: Failure | undefined,
  now: number,
  random: number,
): void {
  webhook.failures = failure === undefined ? 0 : webhook.failures + 1;
  const isTroubled = webhook.failures >= TROUBLED;
  const rest = isTroubled ? waitBefore(webhook.failures - TROUBLED + 1, random) : 0;
  webhook.restsUntil = isTroubled ? now + Math.min(rest, LONGEST_REST_MS) : 0;
}

/** Timers of Node.js cannot wait longer than 24 days. An alarm may ring early. */
const LONGEST_MS = 86_400_000;

/** One alarm for each key. A new one takes the place of the one before. */
function alarms<K>(after: (ms: number, run: () => void) => () => void, now: () => number) {
  const open = new Map<K, () => void>();
  const cancel = (key: K): void => {
    open.get(key)?.();
    open.delete(key);
  };
  return {
    ring(key: K, at: number, run: () => void): void {
      cancel(key);
      const ms = Math.min(Math.max(at - now(), 1), LONGEST_MS);
      open.set(
        key,
        after(ms, () => {
          open.delete(key);
          run();
        }),
      );
    },
    cancel,
    stop(): void {
      for (const key of [...open.keys()]) cancel(key);
    },
  };
}

/** Knows which pieces of work have not ended. */
function workUnderWay() {
  const underWay = new Set<Promise<void>>();
  return {
    add(work: Promise<void>): void {
      underWay.add(work);
      void work.finally(() => underWay.delete(work));
    },
    /** Resolves when none is left, including those that were added meanwhile. */
    async idle(): Promise<void> {
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}
