import { type PlacedEvent, restored } from '@baton/engine/ports';
import type { Queries } from '../database/database.ts';
import { lineageOf, THE_RUN } from './log-parts.ts';

interface EventColumns {
  readonly runId: string;
  readonly sequence: number;
  readonly place: number;
  readonly data: string;
  readonly starts: boolean;
  readonly stepEnd: number;
}

/** An index of a log, and the place in the tree that belongs to it. */
interface Boundary {
  readonly sequence: number;
  readonly place: number;
}

interface CutColumns {
  /** The place of the last event of the step; null if there is no such event. */
  readonly ends: number | null;
  /** How many events of the run there are up to this place. */
  readonly head: number | null;
  /** The sequence of the first event of the step in the part of the cut. */
  readonly begun: number;
}

/** For requests, `tenant` is the one that asks. Each method reads what one statement sees. */
interface Log {
  /** Events with sequence >= `from`, at most `limit`. */
  read(runId: string, from: number, limit: number, tenant?: string): Promise<readonly PlacedEvent[]>;
  /** The last index at or before `sequence` at which no step is half done, and the last place that belongs to it. */
  stepBoundary(runId: string, sequence: number): Promise<Boundary | undefined>;
  /** How many events the run had at that place of its tree. */
  headAt(runId: string, place: number, tenant?: string): Promise<number>;
}

export function logOf(queries: Queries): Log {
  return {
    async read(runId, from, limit, tenant) {
      const rows = await queries.rows<EventColumns>(READ, runId, tenant ?? null, from, limit);
      return rows.map((row) => ({
        place: row.place,
        text: restored(row.data, row.runId, row.sequence),
        starts: row.starts,
        stepEnd: row.stepEnd,
      }));
    },
    async stepBoundary(runId, sequence) {
      let index = sequence;
      for (;;) {
        const cut = await queries.row<CutColumns>(CUT, runId, null, index);
        if (cut === undefined || cut.ends === null) return undefined;
        // A step can have events in several runs of the tree, before and after the last event before the index.
        if (cut.head === index) return { sequence: index, place: cut.ends };
        // Other runs may have moved before the step began. An index has one place, however it was asked for: a replay
        // of the fork finds the fork's index only, and has to find the same children there.
        index = cut.begun;
        if (index === 0) return { sequence: 0, place: 0 };
      }
    },
    async headAt(runId, place, tenant) {
      const row = await queries.row<{ head: number }>(HEAD_AT, runId, tenant ?? null, place);
      return row?.head ?? 0;
    },
  };
}

const READ = `
  WITH RECURSIVE ${lineageOf(THE_RUN)}
  SELECT run.run_id AS "runId", event.*
  FROM lineage JOIN runs AS run ON run.run_no = lineage.run_no CROSS JOIN LATERAL (
    SELECT seq AS sequence, place, data, starts IS NOT false AS starts, place + step_rest AS "stepEnd" FROM events
    WHERE events.run_no = lineage.run_no AND seq >= greatest(lineage.from_seq, $3) AND seq < lineage.to_seq
    ORDER BY seq LIMIT $4) AS event
  ORDER BY event.sequence LIMIT $4`;

/**
 * The first sequence of a part of a log whose event is not `before`. Places and ends of steps grow with the sequence, so
 * a binary search finds it.
 */
const firstNot = (part: string, before: string) => `
  (WITH RECURSIVE search (low, high) AS (
    SELECT ${part}.from_seq, ${part}.to_seq
    UNION ALL
    SELECT CASE WHEN isBefore THEN middle + 1 ELSE low END, CASE WHEN isBefore THEN high ELSE middle END
    FROM search CROSS JOIN LATERAL (SELECT (low + high) / 2 AS middle) AS half CROSS JOIN LATERAL (
      SELECT EXISTS (SELECT FROM events
        WHERE events.run_no = ${part}.run_no AND seq = half.middle AND ${before}) AS isBefore) AS look
    WHERE low < high
  ) SELECT max(low) FROM search)`;

/** The number of events up to a place: it is in the last part that has any of them. Each part is searched once. */
const headAt = (place: string) => `
  SELECT head FROM (
    SELECT part, from_seq, ${firstNot('lineage', `place <= ${place}`)} AS head FROM lineage WHERE from_seq < to_seq OFFSET 0
  ) AS counted WHERE head > from_seq ORDER BY part LIMIT 1`;

const HEAD_AT = `WITH RECURSIVE ${lineageOf(THE_RUN)} ${headAt('$3')}`;

/**
 * The step of the event before an index ($3), and where it ends. A fork may be cut within a step, and its places go on
 * from the cut: for the fork, the step ends there.
 */
const CUT = `
  WITH RECURSIVE ${lineageOf(THE_RUN)}, cut AS MATERIALIZED (
    SELECT lineage.*, least(
      (SELECT place + step_rest FROM events WHERE events.run_no = lineage.run_no AND seq = $3::bigint - 1),
      (SELECT place - 1 FROM lineage AS later JOIN events ON events.run_no = later.run_no AND seq = later.from_seq
       WHERE later.part < lineage.part AND later.from_seq < later.to_seq ORDER BY later.part DESC LIMIT 1)) AS ends
    FROM lineage WHERE $3 > from_seq AND $3 <= to_seq
  )
  SELECT cut.ends, (${headAt('cut.ends')}) AS head, ${firstNot('cut', 'place + step_rest < cut.ends')} AS begun
  FROM cut`;
