import type { Arrival, RunAdvance, Slice } from '@baton/engine/ports';
import { isTerminal } from '@baton/protocol';
import type { Database } from '../database/database.ts';
import { memoryWriter } from '../memory/memory-writer.ts';
import { interruptWriter } from '../queries/interrupts.ts';
import { modelAnswerWriter } from '../queries/model-answers.ts';
import { replyWriter } from '../queries/replies.ts';
import { arrivalWriter } from './arrival-writer.ts';
import { appendInOrder, eventsIn } from './event-order.ts';
import { eventWriter } from './event-writer.ts';
import { runNumbers } from './run-numbers.ts';
import { runWriter, type TreeMove } from './run-writer.ts';
import { UnfitSliceError } from './unfit-slice.ts';
import { usageCounter } from './usage-counter.ts';

/** Writes slices inside a transaction that the caller begins and ends. */
export interface SliceWriter {
  begin(): void;
  /** False if the slice was computed from outdated rows. The caller must then roll back the transaction. */
  write(slice: Slice): boolean;
  /** Must be called before the transaction is committed. */
  flush(): void;
  /** Must be called after the slices were committed. */
  committed(slices: readonly Slice[]): void;
  /** Must be called after the transaction was rolled back. */
  abandoned(): void;
}

export function sliceWriter(database: Database): SliceWriter {
  const numbers = runNumbers(database);
  const runs = runWriter(database, numbers);
  const events = eventWriter(database);
  const usage = usageCounter(database);
  const interrupts = interruptWriter(database);
  const changeMemory = memoryWriter(database);
  const writeArrival = arrivalWriter(database);
  const remember = replyWriter(database);
  const keepAnswer = modelAnswerWriter(database);
  const lastNumber = database.prepare<{ last: number | null }>('SELECT max(run_no) AS last FROM runs');
  const checkpoint = database.prepare(CHECKPOINT);
  const lateOutcome = database.prepare(LATE_OUTCOME);
  let last = 0;

  function writeRow(runNo: number, run: RunAdvance, move: TreeMove | undefined): boolean {
    if (run.created !== undefined) return runs.create(runNo, run, run.created, move);
    return move === undefined ? runs.advance(runNo, run) : runs.advanceRoot(runNo, run, move);
  }

  /** `move` is given for the root of the tree only. */
  function writeRun(runNo: number, run: RunAdvance, move: TreeMove | undefined): boolean {
    if (!writeRow(runNo, run, move)) return false;
    const folded = run.savedState;
    if (folded !== undefined) {
      checkpoint.run(runNo, folded.sequence, folded.foldVersion, folded.state, folded.chain ?? null);
    }
    interrupts.write(runNo, run);
    return true;
  }

  /** A slice that changes nothing in its tree only checks that the tree has not moved. */
  function writeTree(slice: Slice): boolean {
    const { from, wake } = slice;
    const changes = slice.runs.length > 0 || wake !== undefined;
    if (from !== undefined) {
      if (changes) return writeRuns(slice, { from, to: from + eventsIn(slice), wake });
      const rootNo = numbers.of(slice.rootId);
      return rootNo !== undefined && runs.isAt(rootNo, from);
    }
    if (changes) throw new UnfitSliceError('the slice does not say from which place of its tree it goes on');
    return true;
  }

  function writeRuns(slice: Slice, move: TreeMove): boolean {
    // All numbers are assigned first, because the rows of a slice refer to each other in any order.
    for (const run of slice.runs) {
      if (run.created !== undefined) numbers.add(run.runId, ++last, run.created.tenant);
    }
    const written: number[] = [];
    let rootMoved = false;
    for (const run of slice.runs) {
      const runNo = numbers.of(run.runId);
      const isRoot = run.runId === slice.rootId;
      if (runNo === undefined || !writeRun(runNo, run, isRoot ? move : undefined)) return false;
      rootMoved ||= isRoot;
      written.push(runNo);
    }
    const rootNo = rootMoved ? undefined : numbers.of(slice.rootId);
    if (!rootMoved && (rootNo === undefined || !runs.moveTree(rootNo, move))) return false;
    appendInOrder(events, slice, written, move.from);
    countEvents(slice);
    return true;
  }

  /** The last part of an import moves the runs to their final tenant, so the cached tenants are outdated. */
  function arrive({ rootId }: Slice, arrival: Arrival): boolean {
    usage.flush();
    if (!writeArrival(arrival, numbers.of(rootId))) return false;
    if (arrival.becomes !== undefined) numbers.clear();
    return true;
  }

  /** All runs of a tree belong to one tenant. */
  function countEvents({ runs: [first], runs: all }: Slice): void {
    const tenant = first && numbers.tenantOf(first.runId);
    if (tenant === undefined) return;
    let bytes = 0;
    // A value that is not a text must not throw here: the table refuses it later.
    for (const run of all) for (const text of run.events) bytes += Buffer.byteLength(String(text));
    usage.add(tenant, bytes);
  }

  return {
    begin() {
      last = lastNumber.get()?.last ?? 0;
    },
    write(slice) {
      if (!writeTree(slice)) return false;
      for (const change of slice.memory ?? []) if (!changeMemory(change)) return false;
      if (slice.arrival !== undefined && !arrive(slice, slice.arrival)) return false;
      if (slice.idempotency !== undefined && !remember(slice.idempotency)) return false;
      const late = slice.lateOutcome;
      if (late !== undefined) lateOutcome.run(late.key, late.runId, JSON.stringify(late.outcome), late.at);
      if (slice.modelAnswer !== undefined) keepAnswer(slice.modelAnswer);
      return true;
    },
    flush() {
      events.flush();
      usage.flush();
    },
    committed(slices) {
      for (const slice of slices) {
        for (const run of slice.runs) if (isTerminal(run.status)) numbers.forget(run.runId);
      }
    },
    abandoned() {
      events.drop();
      usage.drop();
      // Some cached numbers belong to runs whose creation was rolled back.
      numbers.clear();
    },
  };
}

const CHECKPOINT = `
  INSERT INTO checkpoints (run_no, seq, fold_version, state, chain) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (run_no, seq) DO UPDATE
  SET fold_version = excluded.fold_version, state = excluded.state, chain = excluded.chain`;

/** A repeated call may report an outcome twice. The first outcome is kept. */
const LATE_OUTCOME = `
  INSERT INTO late_outcomes (key, run_id, outcome, at) VALUES (?, ?, ?, ?) ON CONFLICT (key) DO NOTHING`;
