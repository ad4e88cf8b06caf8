import { parsed, type WebhookRecord } from '@baton/engine/ports';

export const SELECT_WEBHOOKS = `
  SELECT webhook_id AS webhookId, tenant, principal, url, events, workflows, tags, state, reason, keys, fingerprint,
    created_at AS createdAt, updated_at AS updatedAt, failing_since AS failingSince, position
  FROM webhooks`;

export const toWebhook = (row: object) => parsed<WebhookRecord>(row, 'events', 'workflows', 'tags');

/** The name of the keys of a webhook among other encrypted values. */
const KEY_NAME = 'webhook:';

export function keyNameOf(webhookId: string): string {
  return KEY_NAME + webhookId;
}

export function webhookOfKey(name: string): string {
  return name.startsWith(KEY_NAME) ? name.slice(KEY_NAME.length) : '';
}
