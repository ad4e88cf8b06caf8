import type { Slice } from '../store.ts';
import { shortener } from './short-text.ts';
import { UnfitSliceError } from './unfit-slice.ts';

/** 1 if a step begins with the event, 0 if not, null if it is not known. */
type Starts = 0 | 1 | null;

/** An event as a store keeps it. */
export interface EventColumns {
  readonly runNo: number;
  readonly sequence: number;
  /** The short text. */
  readonly data: string;
  readonly starts: Starts;
  /** The place in the tree. */
  readonly place: number;
  /** How many events of the same step follow. */
  readonly stepRest: number;
}

/**
 * Appends the events of a slice in the order in which they happened. `runNos` are the numbers of its runs,
 * `from` is the place of the event before the slice. Returns how many bytes the stored texts have.
 */
export function appendInOrder(
  events: { add(event: EventColumns): void },
  slice: Slice,
  runNos: readonly number[],
  from: number,
): number {
  const { runs, order } = slice;
  const steps = stepsOf(slice);
  const logs = runs.map((run, index) => ({
    run,
    runNo: runNos[index] ?? 0,
    shorten: shortener(run.runId),
    next: 0,
  }));
  let index = 0;
  let bytes = 0;
  const add = ({ runNo, run, shorten, next }: (typeof logs)[number], text: string) => {
    const sequence = run.expectedHead + next;
    // A value that is not a text must not throw here: the store refuses it later.
    const data = typeof text === 'string' ? shorten(text, sequence) : text;
    bytes += Buffer.byteLength(String(data));
    const stepRest = steps.rest(index);
    events.add({ runNo, sequence, data, starts: steps.starts(index), place: from + index + 1, stepRest });
    index += 1;
  };
  if (order === undefined || runs.length === 1) {
    for (const log of logs)
      for (const text of log.run.events) {
        add(log, text);
        log.next += 1;
      }
    return bytes;
  }
  for (const at of order) {
    const log = logs[at];
    const text = log?.run.events[log.next];
    if (log === undefined || text === undefined)
      throw new UnfitSliceError(`the order of the slice lists too many events of run ${at}`);
    add(log, text);
    log.next += 1;
  }
  const left = logs.find(({ run, next }) => next < run.events.length);
  if (left !== undefined)
    throw new UnfitSliceError(`the order of the slice leaves out events of run ${left.run.runId}`);
  return bytes;
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
