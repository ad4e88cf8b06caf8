import {
  type Columns,
  type InterruptReads,
  type InterruptRow,
  present,
  readCursor,
  toPage,
} from '@baton/engine/ports';
import type { Database } from '../database/database.ts';

interface InterruptColumns extends Columns<InterruptRow> {
  readonly interruptNo: number;
}

/** The open interrupts of all runs of a tenant, or of one run and its descendants, the oldest first. */
export function interruptLister(database: Database): InterruptReads['interrupts'] {
  return async (tenant, limit, cursor, runId) => {
    const after = cursor === undefined ? 0 : readCursor(cursor);
    const rows =
      runId === undefined
        ? await database.rows<InterruptColumns>(LIST, tenant, after, limit + 1)
        : await database.rows<InterruptColumns>(LIST_OF_RUN, tenant, after, limit + 1, runId);
    return toPage(rows, limit, toInterruptRow, (row) => row.interruptNo);
  };
}

/** The oldest open interrupt of a tree. Only the runs of the tree that have not ended are looked at. */
export function firstInterruptReader(database: Database): InterruptReads['firstInterrupt'] {
  return async (tenant, rootId) => {
    const row = await database.row<InterruptColumns>(FIRST, tenant, rootId);
    return row && toInterruptRow(row);
  };
}

function toInterruptRow({ interruptNo: _, ...row }: InterruptColumns): InterruptRow {
  return present<InterruptRow>(row);
}

const COLUMNS = `
  SELECT interrupts.interrupt_no AS "interruptNo", run.run_id AS "runId", root.run_id AS "rootId",
    run.workflow_id AS "workflowId", interrupts.interrupt_id AS "interruptId", interrupts.node_id AS "nodeId",
    interrupts.kind, interrupts.title, interrupts.requested_at AS "requestedAt",
    interrupts.expires_at AS "expiresAt"`;

const LIST = `${COLUMNS}
  FROM interrupts
  JOIN runs AS run ON run.run_no = interrupts.run_no
  JOIN runs AS root ON root.run_no = run.root_no
  WHERE interrupts.tenant = $1 AND interrupts.interrupt_no > $2
  ORDER BY interrupts.interrupt_no
  LIMIT $3`;

/** The open interrupts of the runs of a tree that have not ended. A run that has ended has none. */
const FROM_TREE = `
  FROM runs AS asked
  JOIN runs AS root ON root.run_no = asked.root_no
  JOIN runs AS run ON run.root_no = root.run_no AND run.status NOT IN ('completed', 'failed', 'cancelled')
  JOIN interrupts ON interrupts.run_no = run.run_no`;

/**
 * The id of a descendant begins with the id of the run and a dot. The rows of one tree are few. They are gathered before
 * they are sorted, so that the planner cannot walk through the interrupts of everybody in their order.
 */
const LIST_OF_RUN = `
  WITH open AS MATERIALIZED (${COLUMNS} ${FROM_TREE}
    WHERE asked.tenant = $1 AND asked.run_id = $4 AND interrupts.interrupt_no > $2
      AND (run.run_id = $4 OR starts_with(run.run_id, $4 || '.')))
  SELECT * FROM open ORDER BY "interruptNo" LIMIT $3`;

const FIRST = `
  WITH open AS MATERIALIZED (${COLUMNS} ${FROM_TREE}
    WHERE asked.tenant = $1 AND asked.run_id = $2 AND asked.root_no = asked.run_no)
  SELECT * FROM open ORDER BY "interruptNo" LIMIT 1`;
