import type { Backlogs, QueuedDeliveries, SettledDelivery, WebhookStore } from '@baton/engine/ports';
import type { Database } from '../database/database.ts';
import { atomically, transaction } from '../database/transaction.ts';
import { BACKLOG } from './webhook-reads.ts';

type DeliveryWriter = Pick<WebhookStore, 'queueDeliveries' | 'settleDeliveries' | 'redeliver'>;

export function deliveryWriter(database: Database): DeliveryWriter {
  const own = transaction(database);
  const queue = queuer(database);
  const settle = settler(database);
  const redeliver = database.prepare(REDELIVER);
  const backlog = database.prepare<{ count: number }>(BACKLOG);
  const backlogs = (ids: Iterable<string>): Backlogs =>
    Object.fromEntries([...new Set(ids)].map((id) => [id, backlog.get(id)?.count ?? 0]));
  return {
    queueDeliveries: async (queued, at) =>
      atomically(own, () =>
        backlogs(queued.filter((one) => queue(one, at)).map(({ webhookId }) => webhookId)),
      ),
    settleDeliveries: async (settled, mostLetters) =>
      atomically(own, () => {
        for (const one of settled) settle(one, mostLetters);
        return backlogs(settled.map(({ webhookId }) => webhookId));
      }),
    redeliver: async ({ tenant, webhookId }, numbers, at) =>
      atomically(own, () => {
        const wanted = numbers === undefined ? null : JSON.stringify(numbers);
        return redeliver.run(at, tenant, webhookId, wanted, wanted).changes;
      }),
  };
}

/** False if the webhook has gone, or is no longer where it was. */
function queuer(database: Database): (queued: QueuedDeliveries, at: number) => boolean {
  const move = database.prepare('UPDATE webhooks SET position = ? WHERE webhook_id = ? AND position = ?');
  const add = database.prepare(ADD);
  return ({ webhookId, from, to, runs }, at) => {
    if (move.run(to, webhookId, from).changes === 0) return false;
    for (const { runId, first, last } of runs) add.run(first, last, at, webhookId, runId);
    return true;
  };
}

interface RowColumns {
  readonly webhookNo: number;
  readonly runNo: number;
  readonly last: number;
  readonly letter: number;
}

/** A row that has gone with its webhook is left alone. */
function settler(database: Database): (settled: SettledDelivery, mostLetters: number) => void {
  const find = database.prepare<RowColumns>(
    'SELECT webhook_no AS webhookNo, run_no AS runNo, last_seq AS last, letter FROM webhook_deliveries WHERE delivery_no = ?',
  );
  const remove = database.prepare('DELETE FROM webhook_deliveries WHERE delivery_no = ?');
  const move = database.prepare(
    'UPDATE webhook_deliveries SET next_seq = ?, tries = 0, failing_since = NULL, error = NULL, next_at = ? WHERE delivery_no = ?',
  );
  const fail = database.prepare(
    'UPDATE webhook_deliveries SET next_seq = ?, tries = ?, failing_since = ?, next_at = ?, error = ? WHERE delivery_no = ?',
  );
  const skip = database.prepare(
    'UPDATE webhook_deliveries SET next_seq = ?, tries = 0, next_at = ? WHERE delivery_no = ?',
  );
  const bury = database.prepare(BURY);
  const rebury = database.prepare(
    'UPDATE webhook_deliveries SET tries = ?, next_at = NULL, error = ?, died_at = ? WHERE delivery_no = ?',
  );
  const trim = database.prepare(TRIM);
  const works = database.prepare(
    'UPDATE webhooks SET failing_since = NULL WHERE webhook_no = ? AND failing_since IS NOT NULL',
  );
  const fails = database.prepare(
    'UPDATE webhooks SET failing_since = ? WHERE webhook_no = ? AND failing_since IS NULL',
  );

  return (settled, mostLetters) => {
    const { number, next, at } = settled;
    const row = find.get(number);
    if (row === undefined) return;
    if (settled.kind === 'delivered') {
      if (settled.reached) works.run(row.webhookNo);
      if (next > row.last) remove.run(number);
      else move.run(next, at, number);
      return;
    }
    const { tries, failingSince, error } = settled;
    fails.run(failingSince, row.webhookNo);
    if (settled.kind === 'failed') {
      fail.run(next, tries, failingSince, settled.nextAt, error, number);
    } else if (row.letter === 1) {
      rebury.run(tries, error, at, number);
    } else {
      bury.run(row.webhookNo, row.runNo, next, next, tries, failingSince, error, at);
      trim.run(row.webhookNo, row.webhookNo, mostLetters);
      if (next + 1 > row.last) remove.run(number);
      else skip.run(next + 1, at, number);
    }
  };
}

const ADD = `
  INSERT INTO webhook_deliveries (webhook_no, run_no, next_seq, last_seq, tries, next_at, letter)
  SELECT webhook.webhook_no, run.run_no, ?, ?, 0, ?, 0
  FROM webhooks AS webhook CROSS JOIN runs AS run WHERE webhook.webhook_id = ? AND run.run_id = ?
  ON CONFLICT (webhook_no, run_no) WHERE letter = 0 DO UPDATE SET last_seq = max(last_seq, excluded.last_seq)`;

const BURY = `
  INSERT INTO webhook_deliveries (webhook_no, run_no, next_seq, last_seq, tries, failing_since, error, letter, died_at)
  VALUES (?, ?, ?, ?, ?, ?, ?, 1, ?)`;

const TRIM = `
  DELETE FROM webhook_deliveries WHERE webhook_no = ? AND letter = 1 AND delivery_no <= (
    SELECT delivery_no FROM webhook_deliveries WHERE webhook_no = ? AND letter = 1
    ORDER BY delivery_no DESC LIMIT 1 OFFSET ?)`;

const REDELIVER = `
  UPDATE webhook_deliveries SET next_at = ?, tries = 0, failing_since = NULL
  WHERE webhook_no = (SELECT webhook_no FROM webhooks WHERE tenant = ? AND webhook_id = ?)
    AND letter = 1 AND next_at IS NULL
    AND (? IS NULL OR delivery_no IN (SELECT value FROM json_each(?)))`;
