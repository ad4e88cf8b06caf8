import type { Slice } from '@baton/engine/ports';
import type { EventWriter, Starts } from './event-writer.ts';
import { UnfitSliceError } from './unfit-slice.ts';

/**
 * Appends the events of a slice in the order in which they happened. `runNos` are the numbers of its runs.
 */
export function appendInOrder(events: EventWriter, slice: Slice, runNos: readonly number[]): void {
  const { runs, order } = slice;
  const starts = startsOf(slice);
  const logs = runs.map((run, index) => ({ run, runNo: runNos[index] ?? 0, next: 0 }));
  if (order === undefined || runs.length === 1) {
    for (const { run, runNo } of logs) {
      let sequence = run.expectedHead;
      for (const data of run.events) events.add(runNo, sequence++, data, starts());
    }
    return;
  }
  for (const index of order) {
    const log = logs[index];
    const data = log?.run.events[log.next];
    if (log === undefined || data === undefined)
      throw new UnfitSliceError(`it lists too many events of run ${index}`);
    events.add(log.runNo, log.run.expectedHead + log.next, data, starts());
    log.next += 1;
  }
  const left = logs.find(({ run, next }) => next < run.events.length);
  if (left !== undefined) throw new UnfitSliceError(`it leaves out events of run ${left.run.runId}`);
}

/** The result is called once for each event, in order. It returns whether a step begins with the event. */
function startsOf({ steps }: Slice): () => Starts {
  if (steps === undefined) return () => null;
  let place = 0;
  let step = 0;
  return () => {
    if (steps[step] !== place++) return 0;
    step += 1;
    return 1;
  };
}
