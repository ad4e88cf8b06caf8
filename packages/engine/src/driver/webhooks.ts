import { BatonError, MAX_DEAD_LETTERS, MAX_WEBHOOKS } from '@baton/protocol';
import type { Backlogs, WebhookStore, WebhookWrite } from '../ports/webhooks.ts';
import { done } from './replies.ts';
import type { Outcome } from './rounds/job.ts';

/** Stores webhooks and their deliveries. The engine itself neither matches nor sends events. */
export async function writeWebhooks(store: WebhookStore, write: WebhookWrite, now: number): Promise<Outcome> {
  switch (write.do) {
    case 'put':
      if (await store.putWebhook(write.webhook, MAX_WEBHOOKS)) return written(1);
      throw new BatonError('webhook_limit_reached', undefined, { maxWebhooks: MAX_WEBHOOKS });
    case 'set-state': {
      const { state, reason, principal } = write;
      const change = { state, at: now, ...(reason && { reason }), ...(principal && { principal }) };
      return found(await store.setWebhookState(write, change));
    }
    case 'set-keys':
      return written((await store.setWebhookKeys(write, { ...write, at: now })) ? 1 : 0);
    case 'delete':
      return found(await store.deleteWebhook(write));
    case 'rewrap-keys':
      return written(await store.rewrapWebhookKeys(write.keys));
    case 'queue':
      return written(0, await store.queueDeliveries(write.queued, now));
    case 'settle':
      return written(0, await store.settleDeliveries(write.settled, MAX_DEAD_LETTERS));
    case 'redeliver':
      return written(await store.redeliver(write, write.numbers, now));
  }
}

function found(isFound: boolean): Outcome {
  if (isFound) return written(1);
  throw new BatonError('subscription_not_found');
}

function written(changed: number, backlogs: Backlogs = {}): Outcome {
  return { reply: done({ kind: 'webhooks', changed, backlogs }) };
}
