import { setTimeout as delay } from 'node:timers/promises';
import { type Columns, type CommittedEvent, present, restored, type WebhookReads } from '@baton/engine/ports';
import { HORIZON } from '../commit/horizon.ts';
import type { Database } from '../database/database.ts';
import { HAS_EVENTS, POSITIONS_OF_COMMIT } from './positions.ts';

/** The type of an event is within this many characters, whether or not its text is short. */
const BEGINNING = 512;

/**
 * A commit beyond the horizon waits for an older transaction. Most end within milliseconds. Postgres ends one that hangs
 * after five seconds (see `CONNECTION_SETTINGS`).
 */
const LOOK_AGAIN_MS = 10;
const MOST_LOOKS = 600;

type EventColumns = Columns<Omit<CommittedEvent, 'tags'>> & { readonly tags: readonly string[] | null };

interface Looked {
  /** The position of the last event that was looked at. */
  readonly upTo: number | null;
  /** Whether events beyond the horizon are stored. Nobody may tell of them again when the horizon has moved. */
  readonly isMore: boolean;
}

type Row = Looked & (EventColumns | { readonly position: null });

/**
 * Events in the order of the numbers of their transactions, and within one transaction run by run, as the row in
 * `commits` lists them. So a position depends on this row alone, and stays the same when events are removed.
 */
export function committedEventReader(database: Database): WebhookReads['committedEvents'] {
  return async (after, limit, tenants) => {
    const first = Math.floor(after / POSITIONS_OF_COMMIT);
    for (let looks = 1; ; looks += 1) {
      const rows = await database.rows<Row>(COMMITTED, first, after, limit, tenants);
      const { upTo = null, isMore = false } = rows[0] ?? {};
      if (upTo !== null) {
        const events = rows.flatMap((row) => (row.position === null ? [] : [toCommitted(row)]));
        return { upTo, events };
      }
      if (!isMore || looks === MOST_LOOKS) return { events: [] };
      await delay(LOOK_AGAIN_MS);
    }
  };
}

function toCommitted({ upTo: _, isMore: __, ...row }: Looked & EventColumns): CommittedEvent {
  const { tags, beginning, ...event } = row;
  return {
    ...present<Omit<CommittedEvent, 'tags' | 'beginning'>>(event),
    tags: tags ?? [],
    beginning: restored(beginning, row.runId, row.sequence),
  };
}

/**
 * A commit has at least one event, so `$3` commits have enough of them, beside the commit of event `$2` itself. A span
 * is a stretch of the log of one run that one commit has stored.
 */
const COMMITTED = `
  WITH horizon AS MATERIALIZED (${HORIZON}),
  moved AS MATERIALIZED (
    SELECT commits.xid, commits.run_nos, commits.firsts, commits.counts FROM commits
    WHERE commits.xid >= $1 AND commits.xid < (SELECT xid FROM horizon) AND ${HAS_EVENTS}
    ORDER BY commits.xid LIMIT $3::bigint + 1
  ), spans AS (
    SELECT span.run_no, span.first, span.count, moved.xid * ${POSITIONS_OF_COMMIT}
        + sum(span.count) OVER (PARTITION BY moved.xid ORDER BY span.at) - span.count AS position
    FROM moved, unnest(moved.run_nos, moved.firsts, moved.counts) WITH ORDINALITY AS span (run_no, first, count, at)
  ), remaining AS (
    SELECT run_no, first + told AS first, count - told AS count, position + told AS position
    FROM (SELECT *, greatest(0, $2::bigint + 1 - position) AS told FROM spans) AS span WHERE told < count
  ), looked AS MATERIALIZED (
    SELECT run_no, first, least(count, $3 - earlier) AS count, position
    FROM (SELECT *, sum(count) OVER (ORDER BY position) - count AS earlier FROM remaining) AS span WHERE earlier < $3
  ), found AS (
    SELECT looked.position + event.seq - looked.first AS position, run.tenant, run.run_id AS "runId",
      event.seq AS sequence, left(event.data, ${BEGINNING}) AS beginning, run.workflow_id AS "workflowId",
      root.tags::json AS tags, root.fork::json -> 'mode' AS "forkMode"
    FROM looked
    JOIN runs AS run ON run.run_no = looked.run_no AND run.tenant = ANY($4::text[])
    JOIN runs AS root ON root.run_no = run.root_no
    JOIN events AS event ON event.run_no = looked.run_no
      AND event.seq >= looked.first AND event.seq < looked.first + looked.count
  )
  SELECT reached.*, found.* FROM (
    SELECT max(position + count) - 1 AS "upTo", (
      SELECT commits.xid FROM commits WHERE commits.xid >= (SELECT xid FROM horizon) AND ${HAS_EVENTS}
      ORDER BY commits.xid LIMIT 1) IS NOT NULL AS "isMore"
    FROM looked
  ) AS reached LEFT JOIN found ON true
  ORDER BY found.position`;
