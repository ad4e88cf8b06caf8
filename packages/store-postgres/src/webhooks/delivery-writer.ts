import type { Backlogs, SettledDelivery, WebhookStore } from '@baton/engine/ports';
import { tellChanges } from '../commit/commit-row.ts';
import type { Database, Queries } from '../database/database.ts';
import type { Self } from '../self.ts';
import { BACKLOGS } from './webhook-reads.ts';

type DeliveryWriter = Pick<WebhookStore, 'queueDeliveries' | 'settleDeliveries' | 'redeliver'>;

/**
 * The rows of webhooks are locked before those of their deliveries, in the order of their numbers, so that hosts do not
 * wait for each other in a circle. Statements do not wait for each other's answers.
 */
export function deliveryWriter(database: Database, self: Self): DeliveryWriter {
  return {
    queueDeliveries: (queued, at) =>
      database.transaction(async (queries) => {
        const ids = queued.map(({ webhookId }) => webhookId);
        const moves = queued.map(({ webhookId, from, to }) => ({ webhookId, from, to }));
        const runs = queued.flatMap(({ webhookId, runs }) => runs.map((run) => ({ webhookId, ...run })));
        const [, moved, backlogs] = await Promise.all([
          queries.rows(LOCK, ids),
          queries.rows<{ webhookId: string }>(QUEUE, JSON.stringify(moves), JSON.stringify(runs), at),
          backlogsOf(queries, ids),
        ]);
        return Object.fromEntries(moved.map(({ webhookId }) => [webhookId, backlogs[webhookId] ?? 0]));
      }),
    settleDeliveries: (settled, mostLetters) =>
      database.transaction(async (queries) => {
        const ids = [...new Set(settled.map(({ webhookId }) => webhookId))];
        const sent = [queries.rows(LOCK, ids), ...settle(queries, settled, ids, mostLetters)];
        const [backlogs] = await Promise.all([backlogsOf(queries, ids), ...sent]);
        return backlogs;
      }),
    redeliver: ({ tenant, webhookId }, numbers, at) =>
      database.transaction(async (queries) => {
        const wanted = numbers === undefined ? null : [...numbers];
        const count = await queries.run(REDELIVER, tenant, webhookId, wanted, at);
        if (count > 0) await tellChanges(queries, self, [{ kind: 'webhook', tenant, id: webhookId }]);
        return count;
      }),
  };
}

async function backlogsOf(queries: Queries, ids: readonly string[]): Promise<Backlogs> {
  const rows = await queries.rows<{ webhookId: string; count: number }>(BACKLOGS, ids);
  return Object.fromEntries(rows.map(({ webhookId, count }) => [webhookId, count]));
}

/**
 * Sends the statements for each kind of outcome. A row that has gone with its webhook is left alone. If a webhook has
 * both successes and failures among the outcomes, the failures count as the later ones.
 */
function settle(
  queries: Queries,
  settled: readonly SettledDelivery[],
  ids: readonly string[],
  mostLetters: number,
): readonly Promise<unknown>[] {
  const sent: Promise<unknown>[] = [];
  const send = (kind: SettledDelivery['kind'], ...statements: readonly string[]) => {
    const outcomes = settled.filter((one) => one.kind === kind);
    if (outcomes.length === 0) return;
    const json = JSON.stringify(outcomes.map(withoutZeros));
    const numbers = outcomes.map(({ number }) => number);
    for (const statement of statements) sent.push(queries.run(statement, json, numbers));
  };
  send('delivered', WORKS, FINISH, MOVE);
  send('failed', FAILS, FAIL);
  send('dead', FAILS, BURY_AGAIN, BURY, FINISH_DEAD, SKIP);
  if (settled.some(({ kind }) => kind === 'dead')) sent.push(queries.run(TRIM, ids, mostLetters));
  return sent;
}

/** An error may tell what a receiver has sent. A text of Postgres cannot hold U+0000. */
function withoutZeros(settled: SettledDelivery): SettledDelivery {
  return settled.kind === 'delivered' ? settled : { ...settled, error: settled.error.replaceAll('\0', '') };
}

const LOCK = `
  SELECT webhook_no FROM webhooks WHERE webhook_id = ANY($1::text[]) ORDER BY webhook_no FOR NO KEY UPDATE`;

/**
 * Only for the webhooks that are still where they were. A delivery that is under way goes on to the new end; the claim of
 * the host that carries it out stays valid.
 */
const QUEUE = `
  WITH moved AS (
    UPDATE webhooks SET position = given."to"
    FROM json_to_recordset($1::json) AS given ("webhookId" text, "from" bigint, "to" bigint)
    WHERE webhooks.webhook_id = given."webhookId" AND webhooks.position = given."from"
    RETURNING webhooks.webhook_no, webhooks.webhook_id
  ), queued AS (
    INSERT INTO webhook_deliveries AS delivery (webhook_no, run_no, next_seq, last_seq, tries, next_at, letter)
    SELECT moved.webhook_no, run.run_no, min(given.first), max(given.last), 0, $3::bigint, 0
    FROM json_to_recordset($2::json) AS given ("webhookId" text, "runId" text, first bigint, last bigint)
    JOIN moved ON moved.webhook_id = given."webhookId"
    JOIN runs AS run ON run.run_id = given."runId"
    GROUP BY moved.webhook_no, run.run_no ORDER BY moved.webhook_no, run.run_no
    ON CONFLICT (webhook_no, run_no) WHERE letter = 0
    DO UPDATE SET last_seq = greatest(delivery.last_seq, excluded.last_seq)
  )
  SELECT webhook_id AS "webhookId" FROM moved`;

const GIVEN = `
  json_to_recordset($1::json) AS given (number bigint, next bigint, at bigint, reached boolean, tries integer,
    "failingSince" bigint, "nextAt" bigint, error text)`;

/** The numbers are given twice, because the planner takes a list of numbers for short, and a text of JSON for long. */
const OF_GIVEN = 'delivery.delivery_no = given.number AND delivery.delivery_no = ANY($2::bigint[])';

const WORKS = `
  UPDATE webhooks SET failing_since = NULL WHERE failing_since IS NOT NULL AND webhook_no IN (
    SELECT delivery.webhook_no FROM ${GIVEN} JOIN webhook_deliveries AS delivery ON ${OF_GIVEN} WHERE given.reached)`;

const FINISH = `
  DELETE FROM webhook_deliveries AS delivery USING ${GIVEN} WHERE ${OF_GIVEN} AND given.next > delivery.last_seq`;

/** The host that has delivered goes on with the row, so its claim is renewed. */
const MOVE = `
  UPDATE webhook_deliveries AS delivery
  SET next_seq = given.next, tries = 0, failing_since = NULL, error = NULL, next_at = given.at,
    claimed_at = CASE WHEN claimed_by IS NOT NULL THEN clock_timestamp() END
  FROM ${GIVEN} WHERE ${OF_GIVEN} AND given.next <= delivery.last_seq`;

const FAILS = `
  UPDATE webhooks SET failing_since = failed.since
  FROM (
    SELECT delivery.webhook_no, min(given."failingSince") AS since
    FROM ${GIVEN} JOIN webhook_deliveries AS delivery ON ${OF_GIVEN} GROUP BY delivery.webhook_no
  ) AS failed
  WHERE webhooks.webhook_no = failed.webhook_no AND webhooks.failing_since IS NULL`;

/** Any host may try again. */
const UNCLAIMED = 'claimed_by = NULL, claimed_at = NULL';

const FAIL = `
  UPDATE webhook_deliveries AS delivery
  SET next_seq = given.next, tries = given.tries, failing_since = given."failingSince", next_at = given."nextAt",
    error = given.error, ${UNCLAIMED}
  FROM ${GIVEN} WHERE ${OF_GIVEN}`;

/** A dead letter that was delivered again without success. */
const BURY_AGAIN = `
  UPDATE webhook_deliveries AS delivery
  SET tries = given.tries, next_at = NULL, error = given.error, died_at = given.at, ${UNCLAIMED}
  FROM ${GIVEN} WHERE ${OF_GIVEN} AND delivery.letter = 1`;

const BURY = `
  INSERT INTO webhook_deliveries
    (webhook_no, run_no, next_seq, last_seq, tries, failing_since, error, letter, died_at)
  SELECT delivery.webhook_no, delivery.run_no, given.next, given.next, given.tries, given."failingSince", given.error, 1,
    given.at
  FROM ${GIVEN} JOIN webhook_deliveries AS delivery ON ${OF_GIVEN} WHERE delivery.letter = 0 ORDER BY given.number`;

const FINISH_DEAD = `
  DELETE FROM webhook_deliveries AS delivery USING ${GIVEN}
  WHERE ${OF_GIVEN} AND delivery.letter = 0 AND given.next + 1 > delivery.last_seq`;

const SKIP = `
  UPDATE webhook_deliveries AS delivery SET next_seq = given.next + 1, tries = 0, next_at = given.at, ${UNCLAIMED}
  FROM ${GIVEN} WHERE ${OF_GIVEN} AND delivery.letter = 0`;

const TRIM = `
  DELETE FROM webhook_deliveries WHERE delivery_no IN (
    SELECT letter.delivery_no FROM (
      SELECT delivery_no, row_number() OVER (PARTITION BY webhook_no ORDER BY delivery_no DESC) AS age
      FROM webhook_deliveries
      WHERE letter = 1 AND webhook_no IN (SELECT webhook_no FROM webhooks WHERE webhook_id = ANY($1::text[]))
    ) AS letter WHERE letter.age > $2)`;

const REDELIVER = `
  UPDATE webhook_deliveries SET next_at = $4, tries = 0, failing_since = NULL, ${UNCLAIMED}
  WHERE webhook_no = (SELECT webhook_no FROM webhooks WHERE tenant = $1 AND webhook_id = $2)
    AND letter = 1 AND next_at IS NULL AND ($3::bigint[] IS NULL OR delivery_no = ANY($3))`;
