import {
  type AuditReads,
  type ChainLeaf,
  type ErasureColumns,
  type FiledEvent,
  type LeafColumns,
  restored,
  type ScopeHistoryReads,
  type SignedCheckpoint,
  type StoredCheckpoint,
  toCheckpoint,
  toErasure,
  toLeaf,
} from '@baton/engine/ports';
import type { Database } from '../database/database.ts';
import { snapshots } from '../database/transaction.ts';
import { type RunColumns, selectRuns, toRunRow } from '../queries/run-row.ts';
import { scopeHistories } from './scope-history.ts';

type SignedLeaf = ChainLeaf & { readonly checkpoint: number };

/**
 * The reads of an audit. They return rows as they are stored, with restored texts, and no values that are derived
 * from them.
 */
export function auditReads(database: Database): AuditReads & ScopeHistoryReads {
  const inSnapshot = snapshots(database);
  const run = database.prepare<RunColumns>(selectRuns('WHERE run.run_id = ?'));
  const leaves = database.prepare<SignedLeaf>(
    'SELECT ? AS runId, head, link, checkpoint FROM audit_leaves WHERE run_no = ? ORDER BY checkpoint',
  );
  const marks = database.prepare<Omit<ChainLeaf, 'runId'>>(
    'SELECT seq AS head, chain AS link FROM checkpoints WHERE run_no = ? AND chain IS NOT NULL ORDER BY seq',
  );
  const erasure = database.prepare<ErasureColumns>(ERASURE);
  const events = database.prepare<FiledEvent>(EVENTS);
  const all = database.prepare<NumberedRun>(inOrder(''));
  const ofTenant = database.prepare<NumberedRun>(inOrder('AND tenant = ?'));
  const checkpoints = database.prepare<SignedCheckpoint>(CHECKPOINTS);
  const newest = database.prepare<SignedCheckpoint>(NEWEST_CHECKPOINT);
  const progress = database.prepare<{ newest: number }>('SELECT newest FROM audit_progress');
  const leavesOf = database.prepare<LeafColumns>(LEAVES_OF);

  return {
    ...scopeHistories(database),
    chainRecord: async (runId, tenant) =>
      inSnapshot(() => {
        const row = run.get(runId);
        if (row === undefined || (tenant !== undefined && row.tenant !== tenant)) return undefined;
        const erased = erasure.get(row.runNo);
        return {
          row: toRunRow(row),
          leaves: leaves.all(runId, row.runNo),
          marks: marks.all(row.runNo),
          ...(erased && { erasure: toErasure(runId, erased) }),
        };
      }),
    filedEvents: async (runId, from, limit) =>
      events.all(runId, from, limit).map(({ sequence, place, text, starts }) => ({
        sequence,
        place,
        text: restored(text, runId, sequence),
        starts,
      })),
    runsInOrder: async (after, limit, tenant) =>
      tenant === undefined ? all.all(after, limit) : ofTenant.all(after, tenant, limit),
    lastCheckpointNumber: async () => progress.get()?.newest ?? 0,
    newestCheckpoint: async () => {
      const row = newest.get();
      return row && toCheckpoint(row);
    },
    checkpoints: async (from, limit) =>
      inSnapshot(() =>
        checkpoints.all(from, limit).map(
          (row): StoredCheckpoint => ({
            ...toCheckpoint(row),
            leaves: leavesOf.all(row.number).map(toLeaf),
          }),
        ),
      ),
  };
}

interface NumberedRun {
  readonly number: number;
  readonly runId: string;
}

function inOrder(condition: string): string {
  return `SELECT run_no AS number, run_id AS runId FROM runs WHERE run_no > ? ${condition} ORDER BY run_no LIMIT ?`;
}

const ERASURE = `
  SELECT at, by, reason, first AS "from", links, remains, key_id AS keyId, signature
  FROM erasures WHERE run_no = ?`;

const EVENTS = `
  SELECT seq AS sequence, place, data AS text, starts FROM events
  WHERE run_no = (SELECT run_no FROM runs WHERE run_id = ?) AND seq >= ?
  ORDER BY seq LIMIT ?`;

const CHECKPOINT_COLUMNS = 'number, at, digest, key_id AS keyId, signature, sequence';

export const NEWEST_CHECKPOINT = `
  SELECT ${CHECKPOINT_COLUMNS} FROM audit_checkpoints ORDER BY number DESC LIMIT 1`;

const CHECKPOINTS = `
  SELECT ${CHECKPOINT_COLUMNS} FROM audit_checkpoints
  WHERE number >= ? ORDER BY number LIMIT ?`;

/**
 * The outer joins return a row with nulls for a run or leaf that was removed, and so does an invalid list.
 * The audit then reports that it is missing. The order of the list is the order in which the leaves were
 * signed.
 */
const LEAVES_OF = `
  SELECT runs.run_id AS runId, audit_leaves.head, audit_leaves.link
  FROM audit_checkpoints
  CROSS JOIN json_each(iif(json_valid(audit_checkpoints.runs), audit_checkpoints.runs, '[null]'))
  LEFT JOIN runs ON runs.run_no = json_each.value
  LEFT JOIN audit_leaves
    ON audit_leaves.run_no = json_each.value AND audit_leaves.checkpoint = audit_checkpoints.number
  WHERE audit_checkpoints.number = ?`;
