import type { RunAdvance, RunRecord, Wake } from '@baton/engine/ports';
import type { Database } from '../database/database.ts';
import { forkBases, NO_BASE } from './fork-base.ts';
import type { RunNumbers } from './run-numbers.ts';

const NO_WAKE: Wake = { at: null, unfinished: false };

/** Writes the rows of runs. Each function returns false if the slice conflicts with the stored rows. */
export interface RunWriter {
  create(runNo: number, run: RunAdvance, record: RunRecord, wake: Wake | undefined): boolean;
  advance(runNo: number, run: RunAdvance, wake: Wake | undefined): boolean;
  wake(rootId: string, wake: Wake): boolean;
}

export function runWriter(database: Database, numbers: RunNumbers): RunWriter {
  const create = database.prepare(CREATE);
  const advance = database.prepare(ADVANCE);
  const advanceAndWake = database.prepare(ADVANCE_AND_WAKE);
  const wakeOnly = database.prepare(WAKE);
  const baseOf = forkBases(database);

  return {
    create(runNo, run, record, wake = NO_WAKE) {
      const rootNo = numbers.of(record.rootId);
      const parentNo = record.parentRunId === undefined ? null : numbers.of(record.parentRunId);
      const { fork } = record;
      const base = fork === undefined ? NO_BASE : baseOf(fork, record.tenant);
      if (rootNo === undefined || parentNo === undefined || base === undefined) return false;
      if (run.expectedHead !== (fork?.fromSeq ?? 0)) return false;
      const tags = record.tags.length === 0 ? null : JSON.stringify(record.tags);
      const { changes } = create.run(
        runNo,
        run.runId,
        rootNo,
        parentNo,
        record.parentNodeId ?? null,
        record.tenant,
        record.principal,
        record.workflowId,
        record.workflowVersion,
        run.status,
        tags,
        record.createdAt,
        run.at,
        run.expectedHead + run.events.length,
        wake.at,
        wake.unfinished ? 1 : 0,
        record.role ?? null,
        goalColumn(run),
        base.sourceNo,
        base.baseNo,
        base.baseSeq,
        fork === undefined ? null : JSON.stringify(fork),
        run.chain ?? null,
        record.imported === undefined ? null : JSON.stringify(record.imported),
        record.imported === undefined ? null : 1,
      );
      return changes === 1;
    },
    advance(runNo, run, wake) {
      const head = run.expectedHead + run.events.length;
      const { changes } =
        wake === undefined
          ? advance.run(head, run.status, goalColumn(run), run.at, run.chain ?? null, runNo, run.expectedHead)
          : advanceAndWake.run(
              head,
              run.status,
              goalColumn(run),
              run.at,
              run.chain ?? null,
              wake.at,
              wake.unfinished ? 1 : 0,
              runNo,
              run.expectedHead,
            );
      return changes === 1;
    },
    wake(rootId, wake) {
      const rootNo = numbers.of(rootId);
      if (rootNo === undefined) return false;
      wakeOnly.run(wake.at, wake.unfinished ? 1 : 0, rootNo);
      return true;
    },
  };
}

function goalColumn({ goalMet }: RunAdvance): number | null {
  if (goalMet === undefined) return null;
  return goalMet ? 1 : 0;
}

const CREATE = `
  INSERT INTO runs (run_no, run_id, root_no, parent_no, parent_node_id, tenant, principal, workflow_id,
    workflow_version, status, tags, created_at, updated_at, head, wake_at, unfinished, role, goal_met,
    source_no, base_no, base_seq, fork, chain, imported, arriving)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (run_id) DO NOTHING`;

const ADVANCE = `
  UPDATE runs SET head = ?, status = ?, goal_met = ?, updated_at = ?, chain = coalesce(?, chain)
  WHERE run_no = ? AND head = ?`;

const ADVANCE_AND_WAKE = `
  UPDATE runs SET head = ?, status = ?, goal_met = ?, updated_at = ?, chain = coalesce(?, chain), wake_at = ?,
    unfinished = ?
  WHERE run_no = ? AND head = ?`;

const WAKE = 'UPDATE runs SET wake_at = ?, unfinished = ? WHERE run_no = ?';
