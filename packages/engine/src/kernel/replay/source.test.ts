import type { RunEvent } from '@baton/protocol';
import { expect, it } from 'vitest';
import type { WorkingRun } from '../working-run.ts';
import { wentOnLater } from './source.ts';

/** A replay that has just started the node "n". The next event of its source is the given one. */
function turnBefore(event: Partial<RunEvent>, starts: boolean, later = 0): WorkingRun {
  const ahead = [{ place: 1, text: '', event: { sequence: 5, ...event }, starts, at: 1000 + later }];
  return {
    run: { head: 5, fork: { diverged: false } },
    source: { ahead, complete: true, left: false },
    tree: { world: { now: 1000 }, wanted: [] },
  } as unknown as WorkingRun;
}

it.each([
  ['in the same step', { type: 'node.failed', nodeId: 'n' }, false, 0, false],
  ['at another time', { type: 'node.failed', nodeId: 'n' }, true, 1, true],
  ['where steps are not known', { type: 'node.failed', nodeId: 'n' }, true, 0, false],
  ['after another node', { type: 'node.completed', nodeId: 'm' }, true, 0, true],
  ['after a pause', { type: 'run.paused' }, true, 0, true],
  ['not at all, because its run was cancelled', { type: 'node.cancelled', nodeId: 'n' }, true, 0, true],
  ['with a look at shared memory', { type: 'baton.memory.seen' }, true, 0, false],
] as const)('a source went on with a node %s', (_when, event, starts, later, expected) => {
  expect(wentOnLater(turnBefore(event as Partial<RunEvent>, starts, later), 'n')).toBe(expected);
});
