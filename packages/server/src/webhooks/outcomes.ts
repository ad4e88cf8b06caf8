import type { SettledDelivery, WebhookWrite } from '@baton/engine/ports';
import type { Logger } from 'pino';
import { DELIVERY_DAY_MS } from './after-failure.ts';
import type { DeliveryResult } from './delivery.ts';
import type { FollowedWebhook } from './followed-webhooks.ts';

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
