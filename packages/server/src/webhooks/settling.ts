import type { Backlogs, SettledDelivery, WebhookWrite } from '@baton/engine/ports';
import type { Logger } from 'pino';
import { DELIVERY_DAY_MS } from './after-failure.ts';
import type { DeliveryResult } from './delivery.ts';
import type { FollowedWebhook } from './followed-webhooks.ts';

interface SettlingParts {
  readonly store: (settled: readonly SettledDelivery[]) => Promise<Backlogs>;
  readonly onStored: (backlogs: Backlogs) => void;
  /** Resolves when a write may begin, or when the host stops. Outcomes that come meanwhile belong to the write. */
  readonly gather: () => Promise<void>;
  /** Resolves after a pause, or when the host stops. */
  readonly pause: () => Promise<void>;
  readonly isStopping: () => boolean;
  readonly onProblem: (problem: unknown) => void;
}

/** Stores what has become of deliveries: all that settle while one write is under way are the next write. */
export function settling({ store, onStored, gather, pause, isStopping, onProblem }: SettlingParts) {
  let gathered = new Map<number, SettledDelivery>();
  let next: Promise<void> | undefined;
  let last: Promise<void> = Promise.resolve();

  async function write(): Promise<void> {
    await gather();
    next = undefined;
    const settled = [...gathered.values()];
    gathered = new Map();
    for (;;) {
      try {
        onStored(await store(settled));
        return;
      } catch (problem) {
        onProblem(problem);
        // The next start repeats the deliveries whose outcome was not stored.
        if (isStopping()) return;
        await pause();
      }
    }
  }

  return {
    /** Resolves when it is stored. A later call for the same delivery takes the place of one that has not begun. */
    settle(settled: SettledDelivery): Promise<void> {
      gathered.set(settled.number, settled);
      if (next === undefined) {
        next = last.then(write);
        last = next;
      }
      return next;
    },
    /** Resolves when everything is stored. */
    idle: () => last,
  };
}

interface OutcomeParts {
  /** Resolves when the outcome is stored. */
  readonly store: (settled: SettledDelivery) => Promise<void>;
  readonly write: (write: WebhookWrite) => Promise<unknown>;
  readonly now: () => number;
  readonly log: Pick<Logger, 'warn'>;
}

/** Stores the outcome of a delivery, and stops a webhook whose receiver is gone or has failed for a day. */
export function outcomes({ store, write, now, log }: OutcomeParts) {
  async function giveUp({ record }: FollowedWebhook, reason: string): Promise<void> {
    const { tenant, webhookId, fingerprint } = record;
    log.warn({ tenant, webhookId, fingerprint, reason }, 'a webhook was stopped');
    await write({ do: 'set-state', tenant, webhookId, state: 'failed', reason });
  }

  return async (webhook: FollowedWebhook, { settled, failure }: DeliveryResult): Promise<void> => {
    if (settled === undefined) return;
    await store(settled);
    if (failure === undefined) {
      webhook.failingSince = undefined;
      return;
    }
    webhook.failingSince ??= settled.at;
    if (failure.gone) await giveUp(webhook, 'The receiver wants no more deliveries (410 Gone).');
    else if (now() - webhook.failingSince >= DELIVERY_DAY_MS) {
      await giveUp(webhook, `No delivery has succeeded for a day. Last error: ${failure.error}.`);
    }
  };
}
