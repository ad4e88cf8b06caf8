import { describe, expect, it } from 'vitest';
import { simulate } from '../../../conformance/src/testkit/simulation.ts';
import {
  boss,
  hand,
  inOrder,
  node,
  TERMINATE,
  waitingWorker,
  worker,
  workflow,
} from '../../../conformance/src/testkit/workflows.ts';

/** Runs that reach a limit exactly, and limits together with a pause or a switched-off capability. */

describe('a limit', () => {
  it('on the log of a run allows as many events as it says', () => {
    const nodes = ['a', 'b', 'c'].map((id) => node(id, 'core.noop'));
    const steps = workflow('w', nodes, { edges: inOrder(nodes) });
    const { length } = simulate([steps]).events();
    // The last event ends the run, so the limit is not exceeded before the end.
    expect(simulate([steps], { limits: { logEvents: length - 1 } }).status()).toBe('completed');
    const short = simulate([steps], { limits: { logEvents: length - 2 } });
    expect(short.run().phase).toMatchObject({ status: 'failed', error: { code: 'log_limit_exceeded' } });
  });

  it('on the runs of a tree counts the root, and runs that have ended do not count', () => {
    const plan = [hand('done'), hand('done', 'waits'), TERMINATE];
    const definitions = [boss(plan), worker('done'), waitingWorker('waits')];
    const enough = simulate(definitions, { limits: { treeRuns: 2 } });
    expect(enough.runIds()).toHaveLength(4);
    const full = simulate(definitions, { limits: { treeRuns: 1 } });
    expect(full.runIds()).toEqual(['root']);
    const failed = full.of('core.workflowChain.event');
    expect(failed.at(-1)?.payload).toMatchObject({ error: { code: 'tree_limit_exceeded' } });
  });
});

describe('a paused run', () => {
  it('is due for its limit on time only, whatever its nodes wait for', () => {
    const nodes = [node('wait', 'core.delay', { ms: 100 })];
    const run = simulate([workflow('w', nodes)], { configurable: { runTimeoutMs: 5000 } });
    expect(run.deadline()).toBe(run.now() + 100);
    run.pause();
    expect(run.deadline()).toBe(run.now() + 5001);
    run.resume();
    expect(run.deadline()).toBe(run.now() + 100);
  });
});
