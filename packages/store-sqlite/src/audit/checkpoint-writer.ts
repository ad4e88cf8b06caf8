import type { AuditStore, ChainLeaf } from '@baton/engine/ports';
import type { Database, Value } from '../database/database.ts';
import { atomically, transaction } from '../database/transaction.ts';
import { type CheckpointRow, NEWEST_CHECKPOINT, toCheckpoint } from './checkpoint-row.ts';

const ROWS_AT_ONCE = 16;
/** So many that a start after a crash writes few checkpoints, and so few that they fit in memory. */
const EVENTS_AT_ONCE = 20_000;

/** Writes signed checkpoints, and finds the events that no checkpoint covers yet. */
export function checkpointWriter(
  database: Database,
): Pick<AuditStore, 'newestCheckpoint' | 'lastCheckpointNumber' | 'putCheckpoint' | 'uncovered'> {
  const own = transaction(database);
  const newest = database.prepare<CheckpointRow>(NEWEST_CHECKPOINT);
  const put = database.prepare(PUT);
  const oneLeaf = database.prepare(insertion(1));
  const manyLeaves = database.prepare(insertion(ROWS_AT_ONCE));
  const numberOf = database.prepare<{ run_no: number }>('SELECT run_no FROM runs WHERE run_id = ?');
  const progress = database.prepare<{ pos: number }>('SELECT pos FROM audit_progress WHERE only = 1');
  const counted = database.prepare<{ newest: number }>('SELECT newest FROM audit_progress WHERE only = 1');
  const spokenFor = database.prepare<{ newest: number | null }>(
    'SELECT max(checkpoint) AS newest FROM audit_leaves',
  );
  const proceed = database.prepare(PROCEED);
  const upTo = database.prepare<{ pos: number | null }>(
    'SELECT max(pos) AS pos FROM (SELECT pos FROM events WHERE pos > ? ORDER BY pos LIMIT ?)',
  );
  const moved = database.prepare<ChainLeaf>(MOVED);

  function putLeaves(number: number, leaves: readonly ChainLeaf[]): readonly number[] {
    const numbers: number[] = [];
    let pending: Value[] = [];
    for (const { runId, head, link } of leaves) {
      const runNo = numberOf.get(runId)?.run_no;
      if (runNo === undefined) throw new Error(`there is no run ${runId} to sign for`);
      numbers.push(runNo);
      pending.push(runNo, number, head, link);
      if (pending.length < ROWS_AT_ONCE * 4) continue;
      manyLeaves.run(...pending);
      pending = [];
    }
    for (let at = 0; at < pending.length; at += 4) oneLeaf.run(...pending.slice(at, at + 4));
    return numbers;
  }

  return {
    newestCheckpoint: async () => {
      const row = newest.get();
      return row && toCheckpoint(row);
    },
    async lastCheckpointNumber() {
      const { newest: last } = counted.get() ?? spokenFor.get() ?? { newest: 0 };
      return Math.max(newest.get()?.number ?? 0, last ?? 0);
    },
    putCheckpoint: async ({ number, at, digest, keyId, signature, sequence }, leaves, covered) =>
      atomically(own, () => {
        const runs = JSON.stringify(putLeaves(number, leaves));
        put.run(number, at, digest, keyId, signature, runs, sequence ?? null);
        proceed.run(covered ?? null, number);
      }),
    async uncovered() {
      const from = progress.get()?.pos ?? 0;
      const to = upTo.get(from, EVENTS_AT_ONCE)?.pos ?? undefined;
      return to === undefined ? undefined : { leaves: moved.all(from, to), upTo: to };
    },
  };
}

function insertion(rows: number): string {
  const values = new Array(rows).fill('(?, ?, ?, ?)').join(', ');
  return `INSERT INTO audit_leaves (run_no, checkpoint, head, link) VALUES ${values}`;
}

const PUT = `
  INSERT INTO audit_checkpoints (number, at, digest, key_id, signature, runs, sequence)
  VALUES (?, ?, ?, ?, ?, ?, ?)`;

/** Also inserts a lost row of progress. Without it, the same events would always be found uncovered. */
const PROCEED = `
  INSERT INTO audit_progress (only, pos, newest)
  VALUES (1, coalesce(?, (SELECT max(pos) FROM events), (SELECT pos FROM audit_progress), 0), ?)
  ON CONFLICT (only) DO UPDATE SET pos = excluded.pos, newest = excluded.newest`;

const MOVED = `
  SELECT run_id AS runId, head, chain AS link FROM runs
  WHERE chain IS NOT NULL AND run_no IN (SELECT run_no FROM events WHERE pos > ? AND pos <= ?)`;
