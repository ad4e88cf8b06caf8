import { expect, it } from 'vitest';
import type { WorkingRun } from '../working-run.ts';
import { wentOnLater } from './source.ts';

/** A replay that has just started a node, at place 7 of its source. The step of the source ended at `stepEnd`. */
function afterStart(stepEnd: number, next: { place: number; starts: boolean }): WorkingRun {
  const recorded = (sequence: number) => ({ text: '', event: { sequence }, at: 1000 });
  const ahead = [
    { ...recorded(4), place: 7, starts: true, stepEnd },
    { ...recorded(5), stepEnd: next.place, ...next },
  ];
  return {
    run: { head: 5, fork: { diverged: false } },
    source: { ahead, complete: true, left: false },
    tree: { world: { now: 1000 }, wanted: [] },
  } as unknown as WorkingRun;
}

it.each([
  ['in the same step', 8, { place: 8, starts: false }, false],
  ['in the same step, behind the first event of a child', 9, { place: 9, starts: false }, false],
  ['in the next step', 7, { place: 8, starts: true }, true],
  ['in a later step', 7, { place: 12, starts: true }, true],
  ['in a step that began in another run', 7, { place: 9, starts: false }, true],
] as const)('a source went on with a node %s', (_when, stepEnd, next, expected) => {
  expect(wentOnLater(afterStart(stepEnd, next))).toBe(expected);
});
