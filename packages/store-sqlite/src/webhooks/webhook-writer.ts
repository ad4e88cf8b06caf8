import type { WebhookStore } from '@baton/engine/ports';
import type { Database } from '../database/database.ts';
import { written } from '../database/storage-full.ts';
import { atomically, transaction } from '../database/transaction.ts';
import { webhookOfKey } from './webhook-row.ts';

type WebhookWriter = Pick<
  WebhookStore,
  'putWebhook' | 'setWebhookState' | 'setWebhookKeys' | 'deleteWebhook' | 'rewrapWebhookKeys'
>;

export function webhookWriter(database: Database): WebhookWriter {
  const own = transaction(database);
  const put = database.prepare(PUT);
  const setState = database.prepare(SET_STATE);
  const setKeys = database.prepare(SET_KEYS);
  const rewrap = database.prepare(
    'UPDATE webhooks SET keys = ? WHERE tenant = ? AND webhook_id = ? AND keys = ?',
  );
  const forget = database.prepare(
    'DELETE FROM webhook_deliveries WHERE webhook_no = (SELECT webhook_no FROM webhooks WHERE tenant = ? AND webhook_id = ?)',
  );
  const remove = database.prepare('DELETE FROM webhooks WHERE tenant = ? AND webhook_id = ?');
  return {
    putWebhook: async (webhook, most) =>
      written(() =>
        put.run(
          webhook.webhookId,
          webhook.tenant,
          webhook.principal,
          webhook.url,
          JSON.stringify(webhook.events),
          JSON.stringify(webhook.workflows),
          JSON.stringify(webhook.tags),
          webhook.keys,
          webhook.fingerprint,
          webhook.createdAt,
          webhook.createdAt,
          webhook.tenant,
          most,
        ),
      ),
    setWebhookState: async ({ tenant, webhookId }, { state, reason, principal, at }) =>
      written(() => setState.run(state, reason ?? null, at, principal ?? null, state, tenant, webhookId)),
    setWebhookKeys: async ({ tenant, webhookId }, { from, to, fingerprint, at }) =>
      written(() => setKeys.run(to, fingerprint, at, tenant, webhookId, from)),
    deleteWebhook: async ({ tenant, webhookId }) =>
      atomically(own, () => {
        forget.run(tenant, webhookId);
        return remove.run(tenant, webhookId).changes > 0;
      }),
    rewrapWebhookKeys: async (keys) =>
      atomically(own, () =>
        keys.reduce(
          (count, { tenant, name, from, to }) =>
            count + rewrap.run(to, tenant, webhookOfKey(name), from).changes,
          0,
        ),
      ),
  };
}

const PUT = `
  INSERT INTO webhooks (webhook_id, tenant, principal, url, events, workflows, tags, state, keys, fingerprint,
    created_at, updated_at, position)
  SELECT ?, ?, ?, ?, ?, ?, ?, 'active', ?, ?, ?, ?, coalesce((SELECT max(pos) FROM events), 0)
  WHERE (SELECT count(*) FROM webhooks WHERE tenant = ?) < ?`;

const SET_STATE = `
  UPDATE webhooks SET state = ?, reason = ?, updated_at = ?, principal = coalesce(?, principal),
    failing_since = CASE ? WHEN 'active' THEN NULL ELSE failing_since END
  WHERE tenant = ? AND webhook_id = ?`;

const SET_KEYS = `
  UPDATE webhooks SET keys = ?, fingerprint = ?, updated_at = ?
  WHERE tenant = ? AND webhook_id = ? AND keys = ?`;
