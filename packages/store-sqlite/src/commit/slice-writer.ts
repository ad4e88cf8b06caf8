import type { Arrival, RunAdvance, Slice } from '@baton/engine/ports';
import { isTerminal } from '@baton/protocol';
import type { Database } from '../database/database.ts';
import { memoryWriter } from '../memory/memory-writer.ts';
import { interruptWriter } from '../queries/interrupts.ts';
import { modelAnswerWriter } from '../queries/model-answers.ts';
import { replyWriter } from '../queries/replies.ts';
import { arrivalWriter } from './arrival-writer.ts';
import { appendInOrder } from './event-order.ts';
import { eventWriter } from './event-writer.ts';
import { runNumbers } from './run-numbers.ts';
import { runWriter } from './run-writer.ts';
import { usageCounter } from './usage-counter.ts';

/** Writes slices inside a transaction that somebody else begins and ends. */
export interface SliceWriter {
  begin(): void;
  /** False when the slice was computed from what is no longer true; the transaction must be given up then. */
  write(slice: Slice): boolean;
  /** To be called before the transaction is committed. */
  flush(): void;
  /** The slices are durable. */
  committed(slices: readonly Slice[]): void;
  /** The transaction was given up. */
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

  function writeRun(runNo: number, run: RunAdvance, wake: Slice['wake']): boolean {
    const stands =
      run.created === undefined ? runs.advance(runNo, run, wake) : runs.create(runNo, run, run.created, wake);
    if (!stands) return false;
    const folded = run.checkpoint;
    if (folded !== undefined) {
      checkpoint.run(runNo, folded.sequence, folded.foldVersion, folded.state, folded.chain ?? null);
    }
    interrupts.write(runNo, run);
    return true;
  }

  function writeRuns(slice: Slice): boolean {
    // All numbers first: rows of one slice point at each other, in whatever order they come.
    for (const run of slice.runs) {
      if (run.created !== undefined) numbers.add(run.runId, ++last, run.created.tenant);
    }
    const written: number[] = [];
    let rootWritten = false;
    for (const run of slice.runs) {
      const runNo = numbers.of(run.runId);
      const isRoot = run.runId === slice.rootId;
      if (runNo === undefined || !writeRun(runNo, run, isRoot ? slice.wake : undefined)) return false;
      rootWritten ||= isRoot;
      written.push(runNo);
    }
    appendInOrder(events, slice, written);
    countEvents(slice);
    return slice.wake === undefined || rootWritten || runs.wake(slice.rootId, slice.wake);
  }

  /** The last part gives the runs to another tenant, so what is known of them is out of date. */
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
    // What is no text is refused by the table, and must get that far.
    for (const run of all) for (const text of run.events) bytes += Buffer.byteLength(String(text));
    usage.add(tenant, bytes);
  }

  return {
    begin() {
      last = lastNumber.get()?.last ?? 0;
    },
    write(slice) {
      if (!writeRuns(slice)) return false;
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
      // Some of the numbers belong to runs that were not created after all.
      numbers.clear();
    },
  };
}

const CHECKPOINT = `
  INSERT INTO checkpoints (run_no, seq, fold_version, state, chain) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (run_no, seq) DO UPDATE
  SET fold_version = excluded.fold_version, state = excluded.state, chain = excluded.chain`;

/** A repeated call may report twice; the first word stands. */
const LATE_OUTCOME = `
  INSERT INTO late_outcomes (key, run_id, outcome, at) VALUES (?, ?, ?, ?) ON CONFLICT (key) DO NOTHING`;
