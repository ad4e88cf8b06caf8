import { type InterruptRecord, type ListedRun, type RunColumns, toRunRow } from '@baton/engine/ports';
import { MOST_WAITS_LISTED } from '@baton/protocol';
import { selectRuns } from './run-row.ts';

/** How many runs of a tree that have not ended are looked at. */
const MOST_RUNS = 1000;

const LIVE = "NOT IN ('completed', 'failed', 'cancelled')";

/** A row of `runs` with the open interrupts of the run and its descendants. */
export type ListedColumns = RunColumns & { readonly waits: readonly InterruptRecord[] | null };

export function toListedRun(row: ListedColumns): ListedRun {
  return row.waits === null ? toRunRow(row) : { ...toRunRow(row), waits: row.waits };
}

/**
 * The parts of a statement that give a page of runs their waits. `page` is the name of a table with the numbers of the
 * runs. Each tree is read once, and only its runs that have not ended. All is one statement, so that a run and its
 * waits are of the same moment.
 */
export const waitsIn = (page: string) => `
  waiting_trees AS MATERIALIZED (
    SELECT DISTINCT run.root_no FROM ${page} AS listed JOIN runs AS run ON run.run_no = listed.run_no
    WHERE run.status ${LIVE}
  ), waits AS MATERIALIZED (
    SELECT live.run_id, live.root_no, open.interrupt_no, open.requested_at,
      json_strip_nulls(json_build_object('runId', live.run_id, 'interruptId', open.interrupt_id,
        'nodeId', open.node_id, 'kind', open.kind, 'title', open.title,
        'requestedAt', open.requested_at, 'expiresAt', open.expires_at)) AS wait
    FROM waiting_trees
    CROSS JOIN LATERAL (
      SELECT run.run_no, run.run_id, run.root_no FROM runs AS run
      WHERE run.root_no = waiting_trees.root_no AND run.status ${LIVE} ORDER BY run.run_no LIMIT ${MOST_RUNS}
    ) AS live
    JOIN interrupts AS open ON open.run_no = live.run_no
  )`;

/** Selects the runs of the page with their waits. The id of a descendant begins with the id of the run and a dot. */
export const selectListed = (page: string) => `
  SELECT listed.*, (
    SELECT json_agg(oldest.wait ORDER BY oldest.requested_at, oldest.interrupt_no) FROM (
      SELECT waits.wait, waits.requested_at, waits.interrupt_no FROM waits
      WHERE listed.status ${LIVE}
        AND (waits.run_id = listed."runId" OR starts_with(waits.run_id, listed."runId" || '.'))
      ORDER BY waits.requested_at, waits.interrupt_no LIMIT ${MOST_WAITS_LISTED}
    ) AS oldest
  ) AS waits
  FROM (${selectRuns(`WHERE run.run_no IN (SELECT run_no FROM ${page})`)}) AS listed`;
