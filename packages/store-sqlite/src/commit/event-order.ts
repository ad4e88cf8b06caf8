import type { Slice } from '@baton/engine/ports';

/** Gives the events of a slice in the order they happened: the index of the run, and which of its events. */
export function inOrder({ runs, order }: Slice, take: (run: number, event: number) => void): void {
  if (order === undefined || runs.length === 1) {
    for (const [run, { events }] of runs.entries()) {
      for (let event = 0; event < events.length; event++) take(run, event);
    }
    return;
  }
  const taken = new Array<number>(runs.length).fill(0);
  for (const run of order) {
    const event = taken[run] ?? 0;
    taken[run] = event + 1;
    take(run, event);
  }
  const left = runs.find(({ events }, run) => taken[run] !== events.length);
  if (left !== undefined) throw new Error(`the order of a slice leaves out events of ${left.runId}`);
}
