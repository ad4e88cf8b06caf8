import type { Slice } from '@baton/engine/ports';
import type { EventWriter, Starts } from './event-writer.ts';
import { UnfitSliceError } from './unfit-slice.ts';

/**
 * Appends the events of a slice in the order in which they happened. `runNos` are the numbers of its runs,
 * `from` is the place of the event before the slice.
 */
export function appendInOrder(
  events: EventWriter,
  slice: Slice,
  runNos: readonly number[],
  from: number,
): void {
  const { runs, order } = slice;
  const steps = stepsOf(slice);
  const logs = runs.map((run, index) => ({ run, runNo: runNos[index] ?? 0, next: 0 }));
  let index = 0;
  const add = (runNo: number, sequence: number, data: string) => {
    const stepRest = steps.rest(index);
    events.add({ runNo, sequence, data, starts: steps.starts(index), place: from + index + 1, stepRest });
    index += 1;
  };
  if (order === undefined || runs.length === 1) {
    for (const { run, runNo } of logs) {
      let sequence = run.expectedHead;
      for (const data of run.events) add(runNo, sequence++, data);
    }
    return;
  }
  for (const at of order) {
    const log = logs[at];
    const data = log?.run.events[log.next];
    if (log === undefined || data === undefined)
      throw new UnfitSliceError(`the order of the slice lists too many events of run ${at}`);
    add(log.runNo, log.run.expectedHead + log.next, data);
    log.next += 1;
  }
  const left = logs.find(({ run, next }) => next < run.events.length);
  if (left !== undefined)
    throw new UnfitSliceError(`the order of the slice leaves out events of run ${left.run.runId}`);
}

/** How many events a slice has. */
export function eventsIn({ runs }: Slice): number {
  let count = 0;
  for (const run of runs) count += run.events.length;
  return count;
}

/** The steps of a slice. Must be asked for one event after the other, in order. */
interface Steps {
  /** How many events of the same step follow the event. Must be asked before `starts`. */
  rest(index: number): number;
  starts(index: number): Starts;
}

const UNKNOWN_STEPS: Steps = { rest: () => 0, starts: () => null };

function stepsOf(slice: Slice): Steps {
  const { steps } = slice;
  if (steps === undefined) return UNKNOWN_STEPS;
  const count = eventsIn(slice);
  let next = 0;
  return {
    rest(index) {
      while (next < steps.length && (steps[next] ?? 0) <= index) next += 1;
      return (steps[next] ?? count) - 1 - index;
    },
    starts: (index) => (steps[next - 1] === index ? 1 : 0),
  };
}
