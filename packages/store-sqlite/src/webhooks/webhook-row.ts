import type { WebhookRecord, WebhookState } from '@baton/engine/ports';

/** A row of `webhooks`. The lists are JSON. */
export interface WebhookColumns {
  readonly webhookId: string;
  readonly tenant: string;
  readonly principal: string;
  readonly url: string;
  readonly events: string;
  readonly workflows: string;
  readonly tags: string;
  readonly state: WebhookState;
  readonly reason: string | null;
  readonly keys: string;
  readonly fingerprint: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly failingSince: number | null;
  readonly position: number;
}

export const SELECT_WEBHOOKS = `
  SELECT webhook_id AS webhookId, tenant, principal, url, events, workflows, tags, state, reason, keys, fingerprint,
    created_at AS createdAt, updated_at AS updatedAt, failing_since AS failingSince, position
  FROM webhooks`;

export function toWebhook(row: WebhookColumns): WebhookRecord {
  const { events, workflows, tags, reason, failingSince, ...rest } = row;
  return {
    ...rest,
    events: JSON.parse(events),
    workflows: JSON.parse(workflows),
    tags: JSON.parse(tags),
    ...(reason !== null && { reason }),
    ...(failingSince !== null && { failingSince }),
  };
}

/** The name of the keys of a webhook among other encrypted values. */
const KEY_NAME = 'webhook:';

export function keyNameOf(webhookId: string): string {
  return KEY_NAME + webhookId;
}

export function webhookOfKey(name: string): string {
  return name.startsWith(KEY_NAME) ? name.slice(KEY_NAME.length) : '';
}
