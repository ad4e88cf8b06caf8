import {
  type Columns,
  type InterruptReads,
  type InterruptRow,
  present,
  type RunAdvance,
  readCursor,
  toPage,
} from '@baton/engine/ports';
import type { Database } from '../database/database.ts';

interface InterruptColumns extends Columns<InterruptRow> {
  readonly interruptNo: number;
}

/** Writes open interrupts. An interrupt that is opened and closed in the same slice is not written. */
export function interruptWriter(database: Database): {
  write(runNo: number, run: RunAdvance): void;
} {
  const open = database.prepare(OPEN);
  const close = database.prepare('DELETE FROM interrupts WHERE run_no = ? AND interrupt_id = ?');
  const closeAll = database.prepare('DELETE FROM interrupts WHERE run_no = ?');
  return {
    write(runNo, { interruptsOpened, interruptsClosed }) {
      if (interruptsOpened.length === 0 && interruptsClosed.length === 0) return;
      if (interruptsClosed === 'all') {
        closeAll.run(runNo);
        return;
      }
      const closed = new Set(interruptsClosed);
      for (const one of interruptsOpened) {
        if (closed.delete(one.interruptId)) continue;
        open.run(
          one.interruptId,
          one.nodeId,
          one.kind,
          one.title,
          one.requestedAt,
          one.expiresAt ?? null,
          runNo,
        );
      }
      for (const interruptId of closed) close.run(runNo, interruptId);
    },
  };
}

/** The open interrupts of all runs of a tenant, or of one run and its descendants, the oldest first. */
export function interruptLister(database: Database): InterruptReads['interrupts'] {
  const list = database.prepare<InterruptColumns>(LIST);
  const listOfRun = database.prepare<InterruptColumns>(LIST_OF_RUN);
  return async (tenant, limit, cursor, runId) => {
    const after = cursor === undefined ? 0 : readCursor(cursor);
    const rows =
      runId === undefined
        ? list.all(tenant, after, limit + 1)
        : listOfRun
            .all(tenant, runId, runId, `${runId}.`, `${runId}.`, after)
            .toSorted((a, b) => a.interruptNo - b.interruptNo)
            .slice(0, limit + 1);
    return toPage(rows, limit, toInterruptRow, (row) => row.interruptNo);
  };
}

/** The oldest open interrupt of a tree. Only the runs of the tree that have not ended are looked at. */
export function firstInterruptReader(database: Database): InterruptReads['firstInterrupt'] {
  const first = database.prepare<InterruptColumns>(FIRST);
  return async (tenant, rootId) => {
    const row = first.get(rootId, tenant);
    return row && toInterruptRow(row);
  };
}

function toInterruptRow({ interruptNo: _, ...row }: InterruptColumns): InterruptRow {
  return present<InterruptRow>(row);
}

const OPEN = `
  INSERT INTO interrupts (tenant, run_no, interrupt_id, node_id, kind, title, requested_at, expires_at)
  SELECT tenant, run_no, ?, ?, ?, ?, ?, ? FROM runs WHERE run_no = ?`;

const COLUMNS = `
  SELECT interrupts.interrupt_no AS interruptNo, run.run_id AS runId, root.run_id AS rootId,
    run.workflow_id AS workflowId, interrupts.interrupt_id AS interruptId, interrupts.node_id AS nodeId,
    interrupts.kind, interrupts.title, interrupts.requested_at AS requestedAt,
    interrupts.expires_at AS expiresAt`;

const FROM_INTERRUPTS = `${COLUMNS}
  FROM interrupts
  LEFT JOIN runs AS run ON run.run_no = interrupts.run_no
  LEFT JOIN runs AS root ON root.run_no = run.root_no`;

const LIST = `${FROM_INTERRUPTS}
  WHERE interrupts.tenant = ? AND interrupts.interrupt_no > ?
  ORDER BY interrupts.interrupt_no
  LIMIT ?`;

const FIRST = `${FROM_INTERRUPTS}
  WHERE interrupts.interrupt_no = (
    SELECT min(open.interrupt_no)
    FROM runs AS live INDEXED BY runs_live CROSS JOIN interrupts AS open ON open.run_no = live.run_no
    WHERE live.root_no = (SELECT run_no FROM runs WHERE run_id = ? AND tenant = ?)
      AND live.status NOT IN ('completed', 'failed', 'cancelled'))`;

/**
 * The id of a descendant begins with the id of the run and a dot. A run that has ended has no open interrupt. The rows
 * of one tree are few, so they are sorted afterwards.
 */
const LIST_OF_RUN = `${COLUMNS}
  FROM runs AS asked
  JOIN runs AS root ON root.run_no = asked.root_no
  JOIN runs AS run ON run.root_no = root.run_no AND run.status NOT IN ('completed', 'failed', 'cancelled')
  JOIN interrupts ON interrupts.run_no = run.run_no
  WHERE asked.tenant = ? AND asked.run_id = ?
    AND (run.run_id = ? OR substr(run.run_id, 1, length(?)) = ?)
    AND interrupts.interrupt_no > ?`;
