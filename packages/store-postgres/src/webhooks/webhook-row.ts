import { type Columns, present, type WebhookRecord } from '@baton/engine/ports';

export type WebhookColumns = Columns<WebhookRecord>;

export const SELECT_WEBHOOKS = `
  SELECT webhook_id AS "webhookId", tenant, principal, url, events::json, workflows::json, tags::json, state, reason, keys,
    fingerprint, created_at AS "createdAt", updated_at AS "updatedAt", failing_since AS "failingSince", position
  FROM webhooks`;

export function toWebhook(row: WebhookColumns): WebhookRecord {
  return present<WebhookRecord>(row);
}
