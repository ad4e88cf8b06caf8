import {
  type AuditStore,
  type ChainLeaf,
  type LastCheckpoint,
  type SignedCheckpoint,
  type Slice,
  toCheckpoint,
} from '@baton/engine/ports';
import type { Database, Value } from '../database/database.ts';
import { atomically, transaction } from '../database/transaction.ts';
import { NEWEST_CHECKPOINT } from './audit-reads.ts';

const ROWS_AT_ONCE = 16;
/** So many that a start after a crash writes few checkpoints, and so few that they fit in memory. */
const EVENTS_AT_ONCE = 20_000;

/** Writes signed checkpoints over the events that no checkpoint covers yet. */
interface CheckpointWriter extends Pick<AuditStore, 'sign'> {
  /** Must be called after these slices were committed. */
  witness(slices: readonly Slice[]): void;
}

/** Runs that advanced. `upTo` is the position of the last event that they cover; absent: all events. */
interface Unsigned {
  readonly leaves: readonly ChainLeaf[];
  readonly upTo?: number;
}

/**
 * Events from before this process began are found by their position in the table. This process is the only
 * writer, so it remembers the runs that have advanced since.
 */
export function checkpointWriter(database: Database): CheckpointWriter {
  const own = transaction(database);
  const last = lastCheckpoint(database);
  const putLeaves = leafWriter(database);
  const put = database.prepare(PUT);
  const proceed = database.prepare(PROCEED);
  const olderEvents = eventsWithoutCheckpoint(database);
  const moved = new Map<string, ChainLeaf>();
  let behind = true;

  function unsigned(): Unsigned {
    const older = behind ? olderEvents() : undefined;
    if (older !== undefined) return older;
    behind = false;
    return { leaves: [...moved.values()] };
  }

  return {
    witness(slices) {
      // Until the older events are signed, these are found in the table with them.
      if (behind) return;
      for (const slice of slices) {
        for (const { runId, expectedHead, events, chain } of slice.runs) {
          if (chain === undefined || events.length === 0) continue;
          moved.set(runId, { runId, head: expectedHead + events.length, link: chain });
        }
      }
    },
    async sign(make) {
      const { leaves, upTo } = unsigned();
      const made = make(last(), leaves);
      if (made === undefined) return false;
      atomically(own, () => {
        const { number, at, digest, keyId, signature, sequence } = made.checkpoint;
        const runs = JSON.stringify(putLeaves(number, made.leaves));
        put.run(number, at, digest, keyId, signature, runs, sequence);
        proceed.run(upTo ?? null, number);
      });
      if (!behind) moved.clear();
      return behind;
    },
  };
}

function lastCheckpoint(database: Database): () => LastCheckpoint {
  const newest = database.prepare<SignedCheckpoint>(NEWEST_CHECKPOINT);
  const counted = database.prepare<{ newest: number }>('SELECT newest FROM audit_progress WHERE only = 1');
  const spokenFor = database.prepare<{ newest: number | null }>(
    'SELECT max(checkpoint) AS newest FROM audit_leaves',
  );
  return () => {
    const stored = newest.get();
    const { newest: number } = counted.get() ?? spokenFor.get() ?? { newest: 0 };
    return {
      number: Math.max(stored?.number ?? 0, number ?? 0),
      ...(stored && { newest: toCheckpoint(stored) }),
    };
  };
}

/** Some of the events that no checkpoint covers, or undefined if all are covered. */
function eventsWithoutCheckpoint(database: Database): () => Unsigned | undefined {
  const progress = database.prepare<{ pos: number }>('SELECT pos FROM audit_progress WHERE only = 1');
  const next = database.prepare<{ pos: number | null }>(
    'SELECT max(pos) AS pos FROM (SELECT pos FROM events WHERE pos > ? ORDER BY pos LIMIT ?)',
  );
  const moved = database.prepare<ChainLeaf>(MOVED);
  return () => {
    const from = progress.get()?.pos ?? 0;
    const upTo = next.get(from, EVENTS_AT_ONCE)?.pos ?? undefined;
    return upTo === undefined ? undefined : { leaves: moved.all(from, upTo), upTo };
  };
}

/** Returns the numbers of the runs, in the order of the leaves. */
function leafWriter(database: Database): (number: number, leaves: readonly ChainLeaf[]) => readonly number[] {
  const one = database.prepare(insertion(1));
  const many = database.prepare(insertion(ROWS_AT_ONCE));
  const numberOf = database.prepare<{ run_no: number }>('SELECT run_no FROM runs WHERE run_id = ?');
  return (number, leaves) => {
    const numbers: number[] = [];
    let pending: Value[] = [];
    for (const { runId, head, link } of leaves) {
      const runNo = numberOf.get(runId)?.run_no;
      if (runNo === undefined) throw new Error(`there is no run ${runId} to sign for`);
      numbers.push(runNo);
      pending.push(runNo, number, head, link);
      if (pending.length < ROWS_AT_ONCE * 4) continue;
      many.run(...pending);
      pending = [];
    }
    for (let at = 0; at < pending.length; at += 4) one.run(...pending.slice(at, at + 4));
    return numbers;
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
