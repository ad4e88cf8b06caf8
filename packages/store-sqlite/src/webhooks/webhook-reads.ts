import {
  type Columns,
  type CommittedEvent,
  type DeliveryRow,
  present,
  readCursor,
  restored,
  toPage,
  type WebhookReads,
  type WebhookRecord,
} from '@baton/engine/ports';
import type { Database } from '../database/database.ts';
import { snapshots } from '../database/transaction.ts';
import { keyNameOf, SELECT_WEBHOOKS, toWebhook, webhookOfKey } from './webhook-row.ts';

/** The type of an event is within this many characters, whether or not its text is short. */
const BEGINNING = 512;

type CommittedColumns = Columns<Omit<CommittedEvent, 'tags'>> & {
  readonly tags: string | null;
};

const toDelivery = (row: Columns<DeliveryRow>) => present<DeliveryRow>(row);

export function webhookReads(database: Database): WebhookReads {
  const one = database.prepare<object>(`${SELECT_WEBHOOKS} WHERE tenant = ? AND webhook_id = ?`);
  const ofTenant = database.prepare<object>(`${SELECT_WEBHOOKS} WHERE tenant = ? ORDER BY webhook_no`);
  const every = database.prepare<object>(`${SELECT_WEBHOOKS} ORDER BY webhook_no`);
  const afterKey = database.prepare<WebhookRecord>(
    `${SELECT_WEBHOOKS} WHERE (tenant, webhook_id) > (?, ?) ORDER BY tenant, webhook_id LIMIT ?`,
  );
  const listed = database.prepare<Columns<DeliveryRow>>(LISTED);
  const due = database.prepare<Columns<DeliveryRow>>(DUE);
  const next = database.prepare<{ at: number | null }>(NEXT);
  const backlog = database.prepare<{ count: number }>(BACKLOG);
  return {
    async webhook(tenant, webhookId) {
      const row = one.get(tenant, webhookId);
      return row && toWebhook(row);
    },
    webhooks: async (tenant) => ofTenant.all(tenant).map(toWebhook),
    everyWebhook: async () => every.all().map(toWebhook),
    everyWebhookKey: async (place, limit) =>
      afterKey
        .all(place?.tenant ?? '', webhookOfKey(place?.name ?? ''), limit)
        .map(({ tenant, webhookId, keys, updatedAt }) => ({
          tenant,
          name: keyNameOf(webhookId),
          jwe: keys,
          updatedAt,
        })),
    deliveries: async ({ tenant, webhookId, dead }, limit, cursor) => {
      const after = cursor === undefined ? 0 : readCursor(cursor);
      const rows = listed.all(tenant, webhookId, dead ? 1 : 0, after, limit + 1);
      return toPage(rows, limit, toDelivery, ({ number }) => number);
    },
    committedEvents: committedEvents(database),
    dueDeliveries: async (webhookId, now, limit) => due.all(webhookId, now, limit).map(toDelivery),
    nextDelivery: async (webhookId) => next.get(webhookId)?.at ?? undefined,
    backlog: async (webhookId) => backlog.get(webhookId)?.count ?? 0,
  };
}

function committedEvents(database: Database): WebhookReads['committedEvents'] {
  const inSnapshot = snapshots(database);
  const end = database.prepare<{ upTo: number | null }>(
    'SELECT max(pos) AS upTo FROM (SELECT pos FROM events WHERE pos > ? ORDER BY pos LIMIT ?)',
  );
  const found = database.prepare<CommittedColumns>(COMMITTED);
  return async (after, limit, tenants) =>
    inSnapshot(() => {
      const upTo = end.get(after, limit)?.upTo ?? undefined;
      if (upTo === undefined) return { events: [] };
      return { upTo, events: found.all(after, upTo, JSON.stringify(tenants)).map(toCommitted) };
    });
}

function toCommitted({ tags, beginning, ...row }: CommittedColumns): CommittedEvent {
  return {
    ...present<Omit<CommittedEvent, 'tags' | 'beginning'>>(row),
    beginning: restored(beginning, row.runId, row.sequence),
    tags: tags === null ? [] : JSON.parse(tags),
  };
}

const COMMITTED = `
  SELECT event.pos AS position, run.tenant, run.run_id AS runId, event.seq AS sequence,
    substr(event.data, 1, ${BEGINNING}) AS beginning, run.workflow_id AS workflowId, root.tags,
    json_extract(root.fork, '$.mode') AS forkMode
  FROM events AS event
  CROSS JOIN runs AS run ON run.run_no = event.run_no
  CROSS JOIN runs AS root ON root.run_no = run.root_no
  WHERE event.pos > ? AND event.pos <= ? AND run.tenant IN (SELECT value FROM json_each(?))
  ORDER BY event.pos`;

const DELIVERY = `
  SELECT delivery.delivery_no AS number, run.run_id AS runId, run.workflow_id AS workflowId,
    delivery.next_seq AS next, delivery.last_seq AS last, delivery.tries,
    delivery.failing_since AS failingSince, delivery.next_at AS nextAt, delivery.error, delivery.died_at AS diedAt
  FROM webhook_deliveries AS delivery
  CROSS JOIN runs AS run ON run.run_no = delivery.run_no`;

const LISTED = `${DELIVERY}
  WHERE delivery.webhook_no = (SELECT webhook_no FROM webhooks WHERE tenant = ? AND webhook_id = ?)
    AND delivery.letter = ? AND delivery.delivery_no > ?
  ORDER BY delivery.delivery_no LIMIT ?`;

const DUE = `${DELIVERY}
  WHERE delivery.webhook_no = (SELECT webhook_no FROM webhooks WHERE webhook_id = ?) AND delivery.next_at <= ?
  ORDER BY delivery.next_at, delivery.run_no, delivery.next_seq LIMIT ?`;

const NEXT = `
  SELECT min(next_at) AS at FROM webhook_deliveries
  WHERE webhook_no = (SELECT webhook_no FROM webhooks WHERE webhook_id = ?) AND next_at IS NOT NULL`;

export const BACKLOG = `
  SELECT count(*) AS count FROM webhook_deliveries INDEXED BY deliveries_listed
  WHERE webhook_no = (SELECT webhook_no FROM webhooks WHERE webhook_id = ?) AND letter = 0`;
