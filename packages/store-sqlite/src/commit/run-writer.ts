import {
  type ForkBase,
  type ForkRecord,
  forkBase,
  NO_BASE,
  type RunAdvance,
  type RunRecord,
  type SourceColumns,
  type Wake,
} from '@baton/engine/ports';
import type { Database } from '../database/database.ts';
import type { RunNumbers } from './run-numbers.ts';

const NO_WAKE: Wake = { at: null, unfinished: false };

/** How a slice moves its tree. The tree is refused when its newest event is no longer at `from`. */
export interface TreeMove {
  readonly from: number;
  /** The place of the newest event after the slice. */
  readonly to: number;
  /** Absent: the tree keeps its wake-up time. */
  readonly wake: Wake | undefined;
}

/** Writes the rows of runs. Each function returns false if the slice conflicts with the stored rows. */
interface RunWriter {
  /** `move` is given for a root only. */
  create(runNo: number, run: RunAdvance, record: RunRecord, move?: TreeMove): boolean;
  advance(runNo: number, run: RunAdvance): boolean;
  advanceRoot(runNo: number, run: RunAdvance, move: TreeMove): boolean;
  /** Moves a tree whose root does not advance. */
  moveTree(rootNo: number, move: TreeMove): boolean;
  /** Whether the newest event of the tree is at this place. */
  isAt(rootNo: number, place: number): boolean;
}

export function runWriter(database: Database, numbers: RunNumbers): RunWriter {
  const create = database.prepare(CREATE);
  const advance = database.prepare(ADVANCE);
  const advanceRoot = database.prepare(ADVANCE_ROOT);
  const moveTree = database.prepare(MOVE_TREE);
  const places = database.prepare<{ places: number }>('SELECT places FROM runs WHERE run_no = ?');
  const baseOf = forkBases(database);

  return {
    create(runNo, run, record, move) {
      const { at, unfinished } = move?.wake ?? NO_WAKE;
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
        at,
        unfinished ? 1 : 0,
        record.role ?? null,
        goalColumn(run),
        listedColumn(run),
        base.sourceNo,
        base.baseNo,
        base.baseSeq,
        fork === undefined ? null : JSON.stringify(fork),
        run.chain ?? null,
        move?.to ?? null,
      );
      return changes === 1;
    },
    advance(runNo, run) {
      return advance.run(...columnsOf(run), runNo, run.expectedHead).changes === 1;
    },
    advanceRoot(runNo, run, { from, to, wake }) {
      const { changes } = advanceRoot.run(
        ...columnsOf(run),
        to,
        wake === undefined ? 0 : 1,
        wake?.at ?? null,
        unfinishedColumn(wake),
        runNo,
        run.expectedHead,
        from,
      );
      return changes === 1;
    },
    moveTree: (rootNo, { from, to, wake }) =>
      moveTree.run(to, wake === undefined ? 0 : 1, wake?.at ?? null, unfinishedColumn(wake), rootNo, from)
        .changes === 1,
    isAt: (rootNo, place) => places.get(rootNo)?.places === place,
  };
}

/** The columns that every advance of a run sets, in the order of the statements. */
function columnsOf(run: RunAdvance) {
  const head = run.expectedHead + run.events.length;
  return [head, run.status, goalColumn(run), listedColumn(run), run.at, run.chain ?? null] as const;
}

function goalColumn({ goalMet }: RunAdvance): number | null {
  if (goalMet === undefined) return null;
  return goalMet ? 1 : 0;
}

function listedColumn({ listed }: RunAdvance): string | null {
  return listed === undefined ? null : JSON.stringify(listed);
}

function unfinishedColumn(wake: Wake | undefined): number | null {
  if (wake === undefined) return null;
  return wake.unfinished ? 1 : 0;
}

function forkBases(database: Database): (fork: ForkRecord, tenant: string) => ForkBase | undefined {
  const byId = database.prepare<SourceColumns>(`${SOURCE} WHERE run_id = ? AND tenant = ?`);
  const byNumber = database.prepare<SourceColumns>(`${SOURCE} WHERE run_no = ?`);
  return (fork, tenant) => {
    const lineage: SourceColumns[] = [];
    let source = byId.get(fork.sourceRunId, tenant);
    while (source !== undefined) {
      lineage.push(source);
      source = source.baseNo === null ? undefined : byNumber.get(source.baseNo);
    }
    return forkBase(fork, lineage);
  };
}

const CREATE = `
  INSERT INTO runs (run_no, run_id, root_no, parent_no, parent_node_id, tenant, principal, workflow_id,
    workflow_version, status, tags, created_at, updated_at, head, wake_at, unfinished, role, goal_met, listed,
    source_no, base_no, base_seq, fork, chain, places)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (run_id) DO NOTHING`;

const ADVANCE = `
  UPDATE runs SET head = ?, status = ?, goal_met = ?, listed = coalesce(?, listed), updated_at = ?,
    chain = coalesce(?, chain)
  WHERE run_no = ? AND head = ?`;

const WAKE = 'wake_at = CASE ? WHEN 1 THEN ? ELSE wake_at END, unfinished = coalesce(?, unfinished)';

const ADVANCE_ROOT = `
  UPDATE runs SET head = ?, status = ?, goal_met = ?, listed = coalesce(?, listed), updated_at = ?,
    chain = coalesce(?, chain), places = ?, ${WAKE}
  WHERE run_no = ? AND head = ? AND places = ?`;

const MOVE_TREE = `UPDATE runs SET places = ?, ${WAKE} WHERE run_no = ? AND places = ?`;

const SOURCE = `
  SELECT run_no AS runNo, head, base_no AS baseNo, base_seq AS baseSeq, purged_at AS purgedAt,
    EXISTS (SELECT 1 FROM runs AS erased INDEXED BY runs_erased
      WHERE erased.root_no = runs.root_no AND erased.erased_at IS NOT NULL) AS isErased
  FROM runs`;
