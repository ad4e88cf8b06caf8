import { appendInOrder, type EventColumns, type ForkBase, type Slice } from '@baton/engine/ports';
import type { Queries } from '../database/database.ts';
import { changeMemory } from '../memory/memory-writer.ts';
import { writeModelAnswers } from '../queries/model-answers.ts';
import { addRemoteCancels } from '../queries/remote-cancels.ts';
import type { Self } from '../self.ts';
import {
  type NumberedState,
  writeEvents,
  writeLateOutcomes,
  writeReplies,
  writeSavedStates,
  writeUsage,
} from './batch-rows.ts';
import type { Stretch } from './commit-row.ts';
import { effectRows } from './effect-writer.ts';
import { interruptRows } from './interrupt-rows.ts';
import type { KnownRuns } from './known-runs.ts';
import { type RunRows, runRows } from './run-rows.ts';
import { writeRuns } from './run-writer.ts';
import { writeSpending } from './spending-counter.ts';
import type { Statement } from './statement.ts';
import { OutdatedSliceError } from './unfit-slice.ts';

/** What slices write that are written together. */
export interface Batch {
  readonly stretches: readonly Stretch[];
  /** One for each table, to be sent together. If a slice is outdated or unfit, they fail. */
  readonly statements: readonly Statement[];
  /** They are sent behind the statements. Whether a slice is outdated shows only in their answers. */
  readonly answered: readonly ((queries: Queries) => Promise<void>)[];
}

interface BatchParts {
  readonly self: Self;
  readonly known: KnownRuns;
  /** The bases of the forks that the slices create, by the id of the fork. */
  readonly bases: ReadonlyMap<string, ForkBase>;
}

/** Throws if a slice is unfit, or was not computed from the slices before it. */
export function batchOf(slices: readonly Slice[], { self, known, bases }: BatchParts): Batch {
  const rows = runRows(known, bases);
  const events: EventColumns[] = [];
  const bytes = new Map<string, number>();
  const states: NumberedState[] = [];
  const interrupts = interruptRows();
  const effects = effectRows(known);

  function addRuns(slice: Slice): void {
    const runNos = rows.add(slice);
    for (const run of slice.runs) {
      const owner = known.of(run.runId);
      if (owner === undefined) throw new OutdatedSliceError();
      if (run.savedState !== undefined) states.push({ ...run.savedState, runNo: owner.runNo });
      interrupts.add(owner, run);
    }
    const added = appendInOrder({ add: (event) => events.push(event) }, slice, runNos, slice.from ?? 0);
    // All runs of a tree belong to one tenant.
    const [first] = slice.runs;
    const tenant = first && known.of(first.runId)?.tenant;
    if (tenant !== undefined && added > 0) bytes.set(tenant, (bytes.get(tenant) ?? 0) + added);
  }

  for (const slice of slices) {
    addRuns(slice);
    if (slice.effects !== undefined) effects.add(slice.effects, slice);
  }
  return {
    stretches: stretchesOf(rows),
    statements: [
      ...writeRuns(self, rows),
      ...writeReplies(slices.flatMap(({ idempotency }) => idempotency ?? [])),
      ...writeEvents(events),
      ...writeSavedStates(states),
      ...interrupts.write(),
      ...effects.write(),
      ...writeLateOutcomes(slices.flatMap(({ lateOutcome }) => lateOutcome ?? [])),
      ...writeModelAnswers(slices.flatMap(({ modelAnswer }) => modelAnswer ?? [])),
      ...addRemoteCancels(slices.flatMap(({ cancels = [] }) => cancels)),
      ...writeSpending(slices.flatMap(({ spent }) => spent ?? [])),
      ...writeUsage(bytes),
    ],
    answered: memoryOf(slices),
  };
}

function stretchesOf(rows: RunRows): readonly Stretch[] {
  return rows.runs().flatMap(({ runNo, first, head }) => {
    if (first === null || head === null || first === head) return [];
    return [{ runNo, first, count: head - first }];
  });
}

function memoryOf(slices: readonly Slice[]): Batch['answered'] {
  return slices.flatMap(({ memory = [] }) =>
    memory.map((change) => async (queries: Queries) => must(await changeMemory(queries, change))),
  );
}

function must(isUpToDate: boolean): void {
  if (!isUpToDate) throw new OutdatedSliceError();
}
