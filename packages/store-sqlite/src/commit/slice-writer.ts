import type { Slice } from '@baton/engine/ports';
import { isTerminal } from '@baton/protocol';
import type { Database } from '../database/database.ts';
import { memoryWriter } from '../memory/memory-writer.ts';
import { modelAnswerWriter } from '../queries/model-answers.ts';
import { remoteCancelAdder } from '../queries/remote-cancels.ts';
import { replyWriter } from '../queries/replies.ts';
import { effectWriter } from './effect-writer.ts';
import { eventWriter } from './event-writer.ts';
import { runNumbers } from './run-numbers.ts';
import { spendingCounter } from './spending-counter.ts';
import { treeWriter } from './tree-writer.ts';
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
  const events = eventWriter(database);
  const usage = usageCounter(database);
  const spending = spendingCounter(database);
  const trees = treeWriter(database, { numbers, events, usage });
  const changeMemory = memoryWriter(database);
  const writeEffects = effectWriter(database, numbers);
  const remember = replyWriter(database);
  const keepAnswer = modelAnswerWriter(database);
  const addCancel = remoteCancelAdder(database);
  const lateOutcome = database.prepare(LATE_OUTCOME);

  return {
    begin() {
      trees.begin();
    },
    write(slice) {
      if (!trees.write(slice)) return false;
      if (slice.effects !== undefined) writeEffects(slice.effects, slice);
      for (const change of slice.memory ?? []) if (!changeMemory(change)) return false;
      if (slice.idempotency !== undefined && !remember(slice.idempotency)) return false;
      const late = slice.lateOutcome;
      if (late !== undefined) lateOutcome.run(late.key, late.runId, JSON.stringify(late.outcome), late.at);
      if (slice.modelAnswer !== undefined) keepAnswer(slice.modelAnswer);
      for (const cancel of slice.cancels ?? []) addCancel(cancel);
      if (slice.spent !== undefined) spending.add(slice.spent);
      return true;
    },
    flush() {
      events.flush();
      usage.flush();
      spending.flush();
    },
    committed(slices) {
      for (const slice of slices) {
        for (const run of slice.runs) if (isTerminal(run.status)) numbers.forget(run.runId);
      }
    },
    abandoned() {
      events.drop();
      usage.drop();
      spending.drop();
      // Some cached numbers belong to runs whose creation was rolled back.
      numbers.clear();
    },
  };
}

/** A repeated call may report an outcome twice. The first outcome is kept. */
const LATE_OUTCOME = `
  INSERT INTO late_outcomes (key, run_id, outcome, at) VALUES (?, ?, ?, ?) ON CONFLICT (key) DO NOTHING`;
