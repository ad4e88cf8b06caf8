import {
  type Columns,
  type DeliveryRow,
  present,
  readCursor,
  toPage,
  type WebhookReads,
  type WebhookRecord,
} from '@baton/engine/ports';
import type { Database } from '../database/database.ts';
import type { Self } from '../self.ts';
import { committedEventReader } from './committed-events.ts';

type WebhookColumns = Columns<WebhookRecord>;
type DeliveryColumns = Columns<DeliveryRow>;

/**
 * Several hosts deliver. A delivery that is due is claimed for the host that reads it, and no other host gets it before
 * the outcome is stored. The claim of a host that is no longer at work is void, and so is one of this age.
 */
const CLAIM_LASTS = "interval '5 minutes'";
/** A claim is renewed while the delivery is under way, after this time. */
const RENEWED_AFTER = "interval '1 minute'";

export function webhookReads(database: Database, self: Self): WebhookReads {
  return {
    async webhook(tenant, webhookId) {
      const row = await database.row<WebhookColumns>(ONE, tenant, webhookId);
      return row && toWebhook(row);
    },
    webhooks: async (tenant) => (await database.rows<WebhookColumns>(OF_TENANT, tenant)).map(toWebhook),
    everyWebhook: async () => (await database.rows<WebhookColumns>(EVERY)).map(toWebhook),
    everyWebhookKey: (place, limit) => database.rows(KEYS, place?.tenant ?? '', place?.name ?? '', limit),
    async deliveries({ tenant, webhookId, dead }, limit, cursor) {
      const after = cursor === undefined ? 0 : readCursor(cursor);
      const letter = dead ? 1 : 0;
      const rows = await database.rows<DeliveryColumns>(LISTED, tenant, webhookId, letter, after, limit + 1);
      return toPage(rows, limit, toDelivery, ({ number }) => number);
    },
    committedEvents: committedEventReader(database),
    async dueDeliveries(webhookId, now, limit) {
      const rows = await database.rows<DeliveryColumns>(DUE, webhookId, now, limit, self.hostNo);
      return rows.map(toDelivery);
    },
    async nextDelivery(webhookId) {
      const next = await database.row<{ at: number | null }>(NEXT, webhookId, self.hostNo);
      return next?.at ?? undefined;
    },
    async backlog(webhookId) {
      const [row] = await database.rows<{ count: number }>(BACKLOGS, [webhookId]);
      return row?.count ?? 0;
    },
  };
}

function toWebhook(row: WebhookColumns): WebhookRecord {
  return present<WebhookRecord>(row);
}

function toDelivery(row: DeliveryColumns): DeliveryRow {
  return present<DeliveryRow>(row);
}

const SELECT_WEBHOOKS = `
  SELECT webhook_id AS "webhookId", tenant, principal, url, events::json, workflows::json, tags::json, state, reason, keys,
    fingerprint, created_at AS "createdAt", updated_at AS "updatedAt", failing_since AS "failingSince", position
  FROM webhooks`;

const ONE = `${SELECT_WEBHOOKS} WHERE tenant = $1 AND webhook_id = $2`;
const OF_TENANT = `${SELECT_WEBHOOKS} WHERE tenant = $1 ORDER BY webhook_no`;
const EVERY = `${SELECT_WEBHOOKS} ORDER BY webhook_no`;

/** The name of the keys of a webhook among other encrypted values. */
export const KEY_NAME = "'webhook:' || webhook_id";

const KEYS = `
  SELECT tenant, ${KEY_NAME} AS name, keys AS jwe, updated_at AS "updatedAt" FROM webhooks
  WHERE (tenant, webhook_id) > ($1, regexp_replace($2, '^webhook:', '')) ORDER BY tenant, webhook_id LIMIT $3`;

const DELIVERY = `
  SELECT delivery.delivery_no AS number, run.run_id AS "runId", run.workflow_id AS "workflowId",
    delivery.next_seq AS next, delivery.last_seq AS last, delivery.tries,
    delivery.failing_since AS "failingSince", delivery.next_at AS "nextAt", delivery.error,
    delivery.died_at AS "diedAt"`;

const LISTED = `${DELIVERY}
  FROM webhook_deliveries AS delivery JOIN runs AS run ON run.run_no = delivery.run_no
  WHERE delivery.webhook_no = (SELECT webhook_no FROM webhooks WHERE tenant = $1 AND webhook_id = $2)
    AND delivery.letter = $3 AND delivery.delivery_no > $4
  ORDER BY delivery.delivery_no LIMIT $5`;

/** Whether another host than this one has claimed the delivery. */
const isClaimedByOther = (self: string) => `
  coalesce(delivery.claimed_by <> ${self} AND delivery.claimed_at > clock_timestamp() - ${CLAIM_LASTS}
    AND EXISTS (SELECT FROM hosts WHERE hosts.host_no = delivery.claimed_by), false)`;

const OF_WEBHOOK = 'delivery.webhook_no = (SELECT webhook_no FROM webhooks WHERE webhook_id = $1)';

/**
 * Rows that another host is claiming or settling at this moment are left to it. A reader that is no host (0) claims
 * nothing.
 */
const DUE = `
  WITH due AS MATERIALIZED (
    SELECT delivery.* FROM webhook_deliveries AS delivery
    WHERE ${OF_WEBHOOK} AND delivery.next_at <= $2 AND NOT ${isClaimedByOther('$4')}
    ORDER BY delivery.next_at, delivery.run_no, delivery.next_seq LIMIT $3 FOR NO KEY UPDATE SKIP LOCKED
  ), claimed AS (
    UPDATE webhook_deliveries AS delivery SET claimed_by = $4, claimed_at = clock_timestamp() FROM due
    WHERE delivery.delivery_no = due.delivery_no AND $4 <> 0
      AND (due.claimed_by IS DISTINCT FROM $4 OR due.claimed_at < clock_timestamp() - ${RENEWED_AFTER})
  )
  ${DELIVERY}
  FROM due AS delivery JOIN runs AS run ON run.run_no = delivery.run_no
  ORDER BY delivery.next_at, delivery.run_no, delivery.next_seq`;

/** A delivery that another host has claimed is looked at again when the claim can no longer be valid. */
const NEXT = `
  SELECT min(CASE WHEN ${isClaimedByOther('$2')}
    THEN greatest(delivery.next_at, ceil(extract(epoch FROM delivery.claimed_at + ${CLAIM_LASTS}) * 1000)::bigint)
    ELSE delivery.next_at END) AS at
  FROM webhook_deliveries AS delivery WHERE ${OF_WEBHOOK} AND delivery.next_at IS NOT NULL`;

/** How many runs wait for a delivery, for each of the webhooks $1. */
export const BACKLOGS = `
  SELECT given.webhook_id AS "webhookId", (
    SELECT count(*) FROM webhook_deliveries AS delivery
    WHERE delivery.letter = 0
      AND delivery.webhook_no = (SELECT webhook_no FROM webhooks WHERE webhooks.webhook_id = given.webhook_id)
  ) AS count
  FROM unnest($1::text[]) AS given (webhook_id)`;
