import type { Slice } from '@baton/engine/ports';

/** 1 when a step begins with the event, null when nobody knows. */
export type Starts = 0 | 1 | null;

/** Gives the events of a slice in the order they happened: the index of the run, and which of its events. */
export function inOrder(
  { runs, order, steps }: Slice,
  take: (run: number, event: number, starts: Starts) => void,
): void {
  let place = 0;
  let step = 0;
  const starts = (): Starts => {
    if (steps === undefined) return null;
    if (steps[step] !== place++) return 0;
    step += 1;
    return 1;
  };
  if (order === undefined || runs.length === 1) {
    for (const [run, { events }] of runs.entries()) {
      for (let event = 0; event < events.length; event++) take(run, event, starts());
    }
    return;
  }
  const taken = new Array<number>(runs.length).fill(0);
  for (const run of order) {
    const event = taken[run] ?? 0;
    taken[run] = event + 1;
    take(run, event, starts());
  }
  const left = runs.find(({ events }, run) => taken[run] !== events.length);
  if (left !== undefined) throw new Error(`the order of a slice leaves out events of ${left.runId}`);
}
