import type { RunEvent } from '@baton/protocol';
import { describe, expect, it } from 'vitest';
import type { WorkingRun } from '../working-run.ts';
import type { Source } from './source.ts';
import { stopAhead } from './stop.ts';

/** A replay whose dispatch node "hand" waits for a worker. The source has these events next. */
function replay(ahead: readonly Ahead[], { complete = true, ended = false, known = true } = {}) {
  const events = ahead.map(({ starts = false, afterOthers = false, ...event }, at) => ({
    event: event as unknown as RunEvent,
    starts,
    place: afterOthers ? at + 10 : at,
    stepEnd: afterOthers ? at + 10 : ahead.length - 1,
  }));
  const source = { ahead: events, complete } as unknown as Source;
  const child = { run: { phase: ended ? { kind: 'ended' } : { kind: 'running' } } };
  const handoff = { childRunId: 'r.1' };
  const working = {
    run: {
      runId: 'r',
      nodes: { hand: { status: 'running', wait: { for: 'workers', handoff } } },
    },
    tree: { runs: new Map(known ? [['r.1', child]] : []), wanted: [] },
  } as unknown as WorkingRun;
  return { working, stop: stopAhead(working, source) };
}

interface Ahead {
  readonly type: string;
  readonly payload?: object;
  readonly nodeId?: string;
  readonly starts?: boolean;
  /** The step of the event began in another run. */
  readonly afterOthers?: boolean;
}

const WORKER: Ahead = {
  type: 'core.workflowChain.event',
  nodeId: 'hand',
  payload: { phase: 'child.cancelled' },
};
const SILENT_WORKER: Ahead = { type: 'baton.worker.settled', nodeId: 'hand', payload: {} };
const LEFT: Ahead = { type: 'baton.merge.settled', nodeId: 'hand', payload: { why: 'stopped' } };
const CANCELLED: Ahead = { type: 'node.cancelled', nodeId: 'hand', payload: { reason: 'run-cancelled' } };
const FAILED: Ahead = { type: 'node.cancelled', nodeId: 'hand', payload: { reason: 'run-failed' } };
const GOES_ON: Ahead = { type: 'node.completed', nodeId: 'hand', payload: {} };
const alone = (event: Ahead): Ahead => ({ ...event, starts: true });
const afterOthers = (event: Ahead): Ahead => ({ ...event, afterOthers: true });

describe('the step ahead of a replay', () => {
  it.each<[string, readonly Ahead[], 'cancelled' | 'failed' | undefined]>([
    ['is no stop where there is nothing ahead', [], undefined],
    ['is no stop where a node goes on', [GOES_ON, CANCELLED], undefined],
    ['cancels the run', [{ type: 'run.cancelled', payload: {} }], 'cancelled'],
    ['cancels the nodes of a cancelled run', [CANCELLED], 'cancelled'],
    ['cancels the nodes of a run that fails', [FAILED], 'failed'],
    ['settles a worker, and goes on', [WORKER, GOES_ON], undefined],
    ['settles a worker, and is a stop', [WORKER, CANCELLED], 'cancelled'],
    ['settles a worker, and is a failure', [WORKER, FAILED], 'failed'],
    ['settles a worker without chain events, and is a stop', [SILENT_WORKER, CANCELLED], 'cancelled'],
    ['leaves the gate, and is a stop', [LEFT, CANCELLED], 'cancelled'],
    ['leaves the gate, and goes on', [LEFT, GOES_ON], undefined],
    ['settles a worker, leaves the gate, and is a stop', [WORKER, LEFT, CANCELLED], 'cancelled'],
    ['settles a worker, leaves the gate, and goes on', [WORKER, LEFT, GOES_ON], undefined],
    [
      'settles a worker that still runs, though the stop begins a step',
      [WORKER, alone(CANCELLED)],
      'cancelled',
    ],
    ['is at the end of the log', [WORKER], undefined],
    ['is at the end of the log, at the gate', [WORKER, LEFT], undefined],
  ])('%s', (_what, ahead, expected) => {
    expect(replay(ahead).stop).toBe(expected);
  });

  it.each<[string, readonly Ahead[], { ended?: boolean; known?: boolean }, 'cancelled' | undefined]>([
    ['and the stop is another step', [WORKER, alone(CANCELLED)], { ended: true }, undefined],
    [
      'and is no longer loaded, and the stop is another step',
      [WORKER, alone(CANCELLED)],
      { known: false },
      undefined,
    ],
    [
      'and the stop is another step, which began in another run',
      [WORKER, afterOthers(CANCELLED)],
      { ended: true },
      undefined,
    ],
    ['in the step of the stop', [WORKER, CANCELLED], { ended: true }, 'cancelled'],
  ])('settles a worker that has ended %s', (_what, ahead, state, expected) => {
    expect(replay(ahead, state).stop).toBe(expected);
  });

  it.each<[string, readonly Ahead[]]>([
    ['a worker', [WORKER]],
    ['the gate', [LEFT]],
    ['a worker and the gate', [WORKER, LEFT]],
  ])('is read on where a page of the log ends behind %s', (_what, ahead) => {
    const { working, stop } = replay(ahead, { complete: false });
    expect(stop).toBe('unknown');
    expect(working.tree.wanted).toEqual([{ kind: 'source-events', runId: 'r' }]);
  });
});
