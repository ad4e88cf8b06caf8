import type { WebhookPlace, WebhookStore } from '@baton/engine/ports';
import { tellChanges } from '../commit/commit-row.ts';
import { HORIZON } from '../commit/horizon.ts';
import type { Database, Queries } from '../database/database.ts';
import { lockName } from '../database/locks.ts';
import type { Self } from '../self.ts';
import { HAS_EVENTS, POSITIONS_OF_COMMIT } from './positions.ts';
import { KEY_NAME } from './webhook-reads.ts';

type WebhookWriter = Pick<
  WebhookStore,
  'putWebhook' | 'setWebhookState' | 'setWebhookKeys' | 'deleteWebhook' | 'rewrapWebhookKeys'
>;

export function webhookWriter(database: Database, self: Self): WebhookWriter {
  /** Changes at most one webhook, and tells so. */
  const changed = (
    { tenant, webhookId }: WebhookPlace,
    write: (queries: Queries) => Promise<number>,
  ): Promise<boolean> =>
    database.transaction(async (queries) => {
      if ((await write(queries)) === 0) return false;
      await tellChanges(queries, self, [{ kind: 'webhook', tenant, id: webhookId }]);
      return true;
    });
  return {
    putWebhook: (webhook, most) =>
      changed(webhook, async (queries) => {
        const { webhookId, tenant, principal, url, keys, fingerprint, createdAt } = webhook;
        const lists = [webhook.events, webhook.workflows, webhook.tags].map((list) => JSON.stringify(list));
        const values = [webhookId, tenant, principal, url, ...lists, keys, fingerprint, createdAt];
        const locked = lockName(queries, 'webhooks', tenant);
        const [, stored] = await Promise.all([locked, queries.run(PUT, ...values, most)]);
        return stored;
      }),
    setWebhookState: (place, { state, reason, principal, at }) =>
      changed(place, (queries) =>
        queries.run(SET_STATE, place.tenant, place.webhookId, state, reason ?? null, at, principal ?? null),
      ),
    setWebhookKeys: (place, { from, to, fingerprint, at }) =>
      changed(place, (queries) =>
        queries.run(SET_KEYS, place.tenant, place.webhookId, from, to, fingerprint, at),
      ),
    deleteWebhook: (place) =>
      changed(place, async (queries) => {
        // The row is locked first: no host adds deliveries to it from now on.
        const [, , removed] = await Promise.all([
          queries.rows(LOCK, place.tenant, place.webhookId),
          queries.run(FORGET, place.tenant, place.webhookId),
          queries.run(REMOVE, place.tenant, place.webhookId),
        ]);
        return removed;
      }),
    rewrapWebhookKeys: (keys) => database.transaction((queries) => queries.run(REWRAP, JSON.stringify(keys))),
  };
}

/**
 * A new webhook begins after the newest event for which it is certain that no older one can still appear. So it is told
 * every event of a transaction that is committed after this one, however long ago that began. If such transactions are
 * under way, it is also told of events that were committed in the moments before.
 */
const PUT = `
  INSERT INTO webhooks (webhook_id, tenant, principal, url, events, workflows, tags, state, keys, fingerprint,
    created_at, updated_at, position)
  SELECT $1, $2, $3, $4, $5, $6, $7, 'active', $8, $9, $10, $10, coalesce((
    SELECT (commits.xid + 1) * ${POSITIONS_OF_COMMIT} - 1 FROM commits
    WHERE commits.xid < (SELECT horizon.xid FROM (${HORIZON}) AS horizon) AND ${HAS_EVENTS}
    ORDER BY commits.xid DESC LIMIT 1), 0)
  WHERE (SELECT count(*) FROM webhooks WHERE tenant = $2) < $11`;

const AT_PLACE = 'WHERE tenant = $1 AND webhook_id = $2';

const SET_STATE = `
  UPDATE webhooks SET state = $3, reason = $4, updated_at = $5, principal = coalesce($6, principal),
    failing_since = CASE $3 WHEN 'active' THEN NULL ELSE failing_since END
  ${AT_PLACE}`;

const SET_KEYS = `
  UPDATE webhooks SET keys = $4, fingerprint = $5, updated_at = $6 ${AT_PLACE} AND keys = $3`;

const LOCK = `SELECT webhook_no FROM webhooks ${AT_PLACE} FOR UPDATE`;

const FORGET = `
  DELETE FROM webhook_deliveries WHERE webhook_no = (SELECT webhook_no FROM webhooks ${AT_PLACE})`;

const REMOVE = `DELETE FROM webhooks ${AT_PLACE}`;

const REWRAP = `
  UPDATE webhooks SET keys = given."to"
  FROM json_to_recordset($1::json) AS given (tenant text, name text, "from" text, "to" text)
  WHERE webhooks.tenant = given.tenant AND ${KEY_NAME} = given.name AND webhooks.keys = given."from"`;
