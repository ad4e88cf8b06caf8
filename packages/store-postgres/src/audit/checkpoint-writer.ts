import {
  type AuditStore,
  type ChainLeaf,
  type LastCheckpoint,
  type SignedCheckpoint,
  toCheckpoint,
} from '@baton/engine/ports';
import type { Database, Queries } from '../database/database.ts';
import { hasTurn } from '../database/locks.ts';
import { NEWEST_CHECKPOINT } from './audit-reads.ts';

/** So many that a start after a crash writes few checkpoints, and so few that they fit in memory. */
const EVENTS_AT_ONCE = 20_000;
/** Some transactions have no events. */
const COMMITS_AT_ONCE = 10_000;

type NumberedLeaf = ChainLeaf & { readonly runNo: number };

/** Transactions that no checkpoint covers. */
interface Unsigned {
  readonly xids: readonly number[];
  /** The runs that they advanced, as far as they have come now. */
  readonly leaves: readonly NumberedLeaf[];
  /** Whether there are more of them. */
  readonly more: boolean;
}

/** Writes signed checkpoints over the events that no checkpoint covers yet, of all hosts. */
export function checkpointWriter(database: Database): Pick<AuditStore, 'sign'> {
  return {
    sign: (make) =>
      database.transaction(async (queries) => {
        const [mine, last, unsigned] = await Promise.all([
          hasTurn(queries, 'sign'),
          lastCheckpoint(queries),
          commitsWithoutCheckpoint(queries),
        ]);
        if (!mine) return false;
        const { xids, leaves, more } = unsigned;
        const made = make(
          last,
          leaves.map(({ runId, head, link }) => ({ runId, head, link })),
        );
        // Transactions that advanced no run need no checkpoint.
        if (made === undefined && leaves.length > 0) return false;
        if (made !== undefined) await putCheckpoint(queries, made, leaves);
        await queries.run(MARK, xids);
        return more;
      }),
  };
}

async function lastCheckpoint(queries: Queries): Promise<LastCheckpoint> {
  const [stored, counted] = await Promise.all([
    queries.row<SignedCheckpoint>(NEWEST_CHECKPOINT),
    queries.row<{ newest: number }>(COUNTED),
  ]);
  return {
    number: Math.max(stored?.number ?? 0, counted?.newest ?? 0),
    ...(stored && { newest: toCheckpoint(stored) }),
  };
}

async function commitsWithoutCheckpoint(queries: Queries): Promise<Unsigned> {
  const rows = await queries.rows<{ xid: number; covered: number }>(UNSIGNED, COMMITS_AT_ONCE);
  const taken = rows.filter(({ covered }) => covered < EVENTS_AT_ONCE);
  const xids = taken.map(({ xid }) => xid);
  return {
    xids,
    leaves: xids.length === 0 ? [] : await queries.rows<NumberedLeaf>(MOVED, xids),
    more: taken.length < rows.length || rows.length === COMMITS_AT_ONCE,
  };
}

type Made = NonNullable<ReturnType<Parameters<AuditStore['sign']>[0]>>;

async function putCheckpoint(
  queries: Queries,
  { checkpoint, leaves }: Made,
  known: readonly NumberedLeaf[],
): Promise<void> {
  const { number, at, digest, keyId, signature, sequence } = checkpoint;
  const runNos = await numbersOf(queries, leaves, known);
  const heads = leaves.map(({ head }) => head);
  const links = leaves.map(({ link }) => link);
  await Promise.all([
    queries.run(PUT, number, at, digest, keyId, signature, JSON.stringify(runNos), sequence),
    queries.run(PUT_LEAVES, number, runNos, heads, links),
    queries.run(PROCEED, number),
  ]);
}

/** The numbers of the runs, in the order of the leaves. */
async function numbersOf(
  queries: Queries,
  leaves: readonly ChainLeaf[],
  known: readonly NumberedLeaf[],
): Promise<readonly number[]> {
  const numbers = new Map(known.map(({ runId, runNo }) => [runId, runNo]));
  const missing = leaves.filter(({ runId }) => !numbers.has(runId)).map(({ runId }) => runId);
  if (missing.length > 0) {
    const found = await queries.rows<Pick<NumberedLeaf, 'runId' | 'runNo'>>(NUMBERS, missing);
    for (const { runId, runNo } of found) numbers.set(runId, runNo);
  }
  return leaves.map(({ runId }) => {
    const runNo = numbers.get(runId);
    if (runNo === undefined) throw new Error(`there is no run ${runId} to sign for`);
    return runNo;
  });
}

/** If the row of progress was lost, the leaves tell which checkpoints were there. */
const COUNTED = `
  SELECT coalesce((SELECT newest FROM audit_progress), (SELECT max(checkpoint) FROM audit_leaves), 0) AS newest`;

/** With the number of events in the transactions before. */
const UNSIGNED = `
  SELECT xid, sum(events) OVER (ORDER BY xid) - events AS covered FROM (
    SELECT xid, (SELECT coalesce(sum(count), 0) FROM unnest(counts) AS count) AS events
    FROM commits WHERE NOT signed ORDER BY xid LIMIT $1
  ) AS waiting ORDER BY xid`;

const MOVED = `
  SELECT run_no AS "runNo", run_id AS "runId", head, chain AS link FROM runs
  WHERE chain IS NOT NULL AND run_no = ANY(ARRAY(
    SELECT DISTINCT unnest(run_nos) FROM commits WHERE xid = ANY($1::bigint[])))`;

const NUMBERS = 'SELECT run_no AS "runNo", run_id AS "runId" FROM runs WHERE run_id = ANY($1)';

const PUT = `
  INSERT INTO audit_checkpoints (number, at, digest, key_id, signature, runs, sequence)
  VALUES ($1, $2, $3, $4, $5, $6, $7)`;

const PUT_LEAVES = `
  INSERT INTO audit_leaves (run_no, checkpoint, head, link)
  SELECT run_no, $1, head, link FROM unnest($2::bigint[], $3::bigint[], $4::text[]) AS leaf (run_no, head, link)`;

const PROCEED = `
  INSERT INTO audit_progress (newest) VALUES ($1) ON CONFLICT (single) DO UPDATE SET newest = excluded.newest`;

const MARK = 'UPDATE commits SET signed = true WHERE xid = ANY($1::bigint[])';
