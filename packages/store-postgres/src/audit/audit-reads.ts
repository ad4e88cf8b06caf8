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
import type { Database, Queries } from '../database/database.ts';
import { type RunColumns, selectRuns, toRunRow } from '../queries/run-row.ts';
import { scopeHistories } from './scope-history.ts';

type SignedLeaf = ChainLeaf & { readonly checkpoint: number };

interface ListingRow extends SignedCheckpoint {
  /** The numbers of the runs that it covers, as JSON. */
  readonly runs: string;
}

type StoredEvent = Omit<FiledEvent, 'starts'> & { readonly starts: boolean | null };

/**
 * The reads of an audit. They return rows as they are stored, with restored texts, and no values that are derived from
 * them.
 */
export function auditReads(database: Database): AuditReads & ScopeHistoryReads {
  return {
    ...scopeHistories(database),
    chainRecord: (runId, tenant) =>
      database.snapshot(async (queries) => {
        const [row, leaves, marks, erased] = await Promise.all([
          queries.row<RunColumns>(selectRuns('WHERE run.run_id = $1'), runId),
          queries.rows<Omit<SignedLeaf, 'runId'>>(LEAVES, runId),
          queries.rows<Omit<ChainLeaf, 'runId'>>(MARKS, runId),
          queries.row<ErasureColumns>(ERASURE, runId),
        ]);
        if (row === undefined || (tenant !== undefined && row.tenant !== tenant)) return undefined;
        return {
          row: toRunRow(row),
          leaves: leaves.map((leaf) => ({ runId, ...leaf })),
          marks,
          ...(erased && { erasure: toErasure(runId, erased) }),
        };
      }),
    async filedEvents(runId, from, limit) {
      const events = await database.rows<StoredEvent>(EVENTS, runId, from, limit);
      return events.map((event) => toFiled(runId, event));
    },
    runsInOrder: (after, limit, tenant) =>
      tenant === undefined
        ? database.rows(inOrder(''), after, limit)
        : database.rows(inOrder('AND tenant = $3'), after, limit, tenant),
    async lastCheckpointNumber() {
      return (await database.row<{ newest: number }>('SELECT newest FROM audit_progress'))?.newest ?? 0;
    },
    async newestCheckpoint() {
      const row = await database.row<SignedCheckpoint>(NEWEST_CHECKPOINT);
      return row && toCheckpoint(row);
    },
    checkpoints: (from, limit) => database.snapshot((queries) => checkpoints(queries, from, limit)),
  };
}

function toFiled(runId: string, { sequence, place, text, starts }: StoredEvent): FiledEvent {
  const known = starts === null ? null : Number(starts);
  return { sequence, place, text: restored(text, runId, sequence), starts: known as FiledEvent['starts'] };
}

async function checkpoints(
  queries: Queries,
  from: number,
  limit: number,
): Promise<readonly StoredCheckpoint[]> {
  const rows = await queries.rows<ListingRow>(CHECKPOINTS, from, limit);
  return Promise.all(
    rows.map(async (row) => {
      const leaves = await queries.rows<LeafColumns>(LEAVES_OF, row.number, runsIn(row));
      return { ...toCheckpoint(row), leaves: leaves.map(toLeaf) };
    }),
  );
}

/** In the order in which they were signed. An invalid list counts as one run that is missing. */
function runsIn({ runs }: ListingRow): readonly (number | null)[] {
  try {
    const listed: unknown = JSON.parse(runs);
    return Array.isArray(listed)
      ? listed.map((runNo) => (Number.isSafeInteger(runNo) ? runNo : null))
      : [null];
  } catch {
    return [null];
  }
}

function inOrder(condition: string): string {
  return `SELECT run_no AS number, run_id AS "runId" FROM runs WHERE run_no > $1 ${condition} ORDER BY run_no LIMIT $2`;
}

const RUN = '(SELECT run_no FROM runs WHERE run_id = $1)';

const LEAVES = `SELECT head, link, checkpoint FROM audit_leaves WHERE run_no = ${RUN} ORDER BY checkpoint`;

const MARKS = `
  SELECT seq AS head, chain AS link FROM checkpoints WHERE run_no = ${RUN} AND chain IS NOT NULL ORDER BY seq`;

const ERASURE = `
  SELECT at, by, reason, first AS "from", links, remains, key_id AS "keyId", signature
  FROM erasures WHERE run_no = ${RUN}`;

const EVENTS = `
  SELECT seq AS sequence, place, data AS text, starts FROM events
  WHERE run_no = ${RUN} AND seq >= $2 ORDER BY seq LIMIT $3`;

const CHECKPOINT_COLUMNS = 'number, at, digest, key_id AS "keyId", signature, sequence';

export const NEWEST_CHECKPOINT = `
  SELECT ${CHECKPOINT_COLUMNS} FROM audit_checkpoints ORDER BY number DESC LIMIT 1`;

const CHECKPOINTS = `
  SELECT ${CHECKPOINT_COLUMNS}, runs FROM audit_checkpoints WHERE number >= $1 ORDER BY number LIMIT $2`;

const LEAVES_OF = `
  SELECT runs.run_id AS "runId", audit_leaves.head, audit_leaves.link
  FROM unnest($2::bigint[]) WITH ORDINALITY AS listed (run_no, place)
  LEFT JOIN runs ON runs.run_no = listed.run_no
  LEFT JOIN audit_leaves ON audit_leaves.run_no = listed.run_no AND audit_leaves.checkpoint = $1
  ORDER BY listed.place`;
