import { describe, expect, it } from 'vitest';
import { type Simulation, simulate } from '../../../conformance/src/testkit/simulation.ts';
import {
  boss,
  edge,
  hand,
  node,
  TERMINATE,
  waitingWorker,
  worker,
  workflow,
} from '../../../conformance/src/testkit/workflows.ts';

const breach = (run: Simulation) => run.of('cap.breached')[0];
const failure = (run: Simulation) =>
  run.run().phase.kind === 'ended' && 'error' in run.run().phase ? run.run().phase : {};

describe('limits', () => {
  it('stops before the node over the limit starts', () => {
    const ids = ['a', 'b', 'c', 'd'];
    const chain = workflow(
      'w',
      ids.map((id) => node(id, 'core.noop')),
      {
        edges: ids.slice(1).map((id, index) => edge(ids[index]!, id)),
      },
    );
    const run = simulate([chain], { configurable: { recursionLimit: 3 } });
    expect(breach(run)?.payload).toEqual({ kind: 'node-executions', limit: 3, observed: 4, nodeId: 'd' });
    expect(run.of('node.started')).toHaveLength(3);
    expect(failure(run)).toMatchObject({ error: { code: 'recursion_limit_exceeded' } });
    expect(breach(run)!.sequence).toBeLessThan(run.events().at(-1)!.sequence);
  });

  it('takes the stricter of the limit of the host and that of the caller', () => {
    const run = simulate([workflow('w', [node('a', 'core.noop'), node('b', 'core.noop')])], {
      configurable: { recursionLimit: 100 },
      limits: { nodeExecutions: 1 },
    });
    expect(failure(run)).toMatchObject({ error: { code: 'recursion_limit_exceeded' } });
  });

  it('fails a run that takes too long, having observed more than the limit', () => {
    const run = simulate([workflow('w', [node('wait', 'core.delay', { ms: 60_000 })])], {
      configurable: { runTimeoutMs: 1000 },
    });
    run.tick(1000);
    expect(run.status()).toBe('running');
    expect(run.deadline()).toBe(run.now() + 1);
    run.tick(1);
    expect(breach(run)?.payload).toEqual({ kind: 'run-duration', limit: 1000, observed: 1001 });
    expect(failure(run)).toMatchObject({ error: { code: 'run_timeout' } });
  });

  it('takes the time-out of the workflow, where 0 means none', () => {
    const timed = (timeout: number) =>
      simulate([workflow('w', [node('gate', 'core.approvalGate')], { settings: { timeout } })]);
    const [short, none] = [timed(500), timed(0)];
    short.tick(501);
    none.tick(501);
    expect([short.status(), none.status()]).toEqual(['failed', 'waiting-approval']);
  });

  it('STATE-02 STATE-03 stops the turn over maxLoopIterations before it decides', () => {
    const run = simulate([boss([hand('w'), hand('w'), hand('w'), TERMINATE]), worker('w')], {
      configurable: { maxLoopIterations: 2 },
    });
    expect(breach(run)?.payload).toMatchObject({ kind: 'loop-iterations', limit: 2, observed: 3 });
    expect(failure(run)).toMatchObject({ error: { code: 'loop_limit_exceeded' } });
    expect(run.of('runOrchestrator.decided')).toHaveLength(2);
  });

  it('LOOP-22 READ-30 bounds dispatch executions by iterationCap, and says so before the run fails', () => {
    const run = simulate([boss([hand('w'), hand('w'), TERMINATE], { iterationCap: 1 }), worker('w')]);
    expect(breach(run)?.payload).toMatchObject({ kind: 'dispatch-iterations', limit: 1, observed: 2 });
    expect(failure(run)).toMatchObject({ error: { code: 'dispatch_limit_exceeded' } });
    expect(run.types().slice(-2)).toEqual(['cap.breached', 'run.failed']);
  });

  it('takes children down with a run that times out', () => {
    const parent = { ...boss([hand('w')]), settings: { timeout: 10 } };
    const run = simulate([parent, waitingWorker('w')]);
    run.tick(11);
    expect([run.status(), run.status('root.1')]).toEqual(['failed', 'cancelled']);
  });
});

describe('pause and resume', () => {
  const twoDelays = workflow('w', [node('a', 'core.delay', { ms: 100 }), node('b', 'core.noop')], {
    edges: [edge('a', 'b')],
  });

  it('holds everything at once; what came due meanwhile happens on resume', () => {
    const run = simulate([twoDelays]);
    run.pause();
    run.tick(1000);
    expect(run.status()).toBe('paused');
    expect(run.types()).not.toContain('node.completed');
    run.resume();
    expect(run.status()).toBe('completed');
  });

  it('lets the current node finish first when asked to drain', () => {
    const run = simulate([twoDelays]);
    run.pause('drain-current-node');
    expect(run.status()).toBe('running');
    run.tick(100);
    expect(run.status()).toBe('paused');
    expect(run.types().slice(-2)).toEqual(['node.completed', 'run.paused']);
    run.resume();
    expect(run.status()).toBe('completed');
  });

  it('holds the children of a paused run', () => {
    const child = workflow('w', [node('wait', 'core.delay', { ms: 10 })]);
    const run = simulate([boss([hand('w'), TERMINATE]), child]);
    run.pause();
    run.tick(10);
    expect(run.status('root.1')).toBe('running');
    run.resume();
    expect([run.status(), run.status('root.1')]).toEqual(['completed', 'completed']);
  });

  it('still times out while paused, and can be cancelled', () => {
    const timed = simulate([twoDelays], { configurable: { runTimeoutMs: 10 } });
    timed.pause();
    timed.tick(11);
    expect(timed.status()).toBe('failed');
    const stopped = simulate([twoDelays]);
    stopped.pause();
    stopped.cancel();
    expect(stopped.status()).toBe('cancelled');
  });

  it.each([
    [
      'pausing twice',
      (run: Simulation) => {
        run.pause();
        run.pause();
      },
      'paused',
    ],
    ['resuming what runs', (run: Simulation) => run.resume(), 'running'],
    [
      'pausing what has ended',
      (run: Simulation) => {
        run.cancel();
        run.pause();
      },
      'cancelled',
    ],
  ])('refuses %s', (_what, act, runStatus) => {
    expect(() => act(simulate([twoDelays]))).toThrow(expect.objectContaining({ details: { runStatus } }));
  });

  it('refuses to pause a run that waits for someone', () => {
    const run = simulate([workflow('w', [node('gate', 'core.approvalGate')])]);
    expect(() => run.pause()).toThrow(
      expect.objectContaining({ details: { runStatus: 'waiting-approval' } }),
    );
  });
});

describe('cancel', () => {
  it('ends once: cancelling again changes nothing', () => {
    const run = simulate([workflow('w', [node('gate', 'core.approvalGate')])]);
    run.cancel();
    const events = run.events().length;
    run.cancel();
    expect(run.events()).toHaveLength(events);
    expect(run.types().slice(-2)).toEqual(['node.cancelled', 'run.cancelled']);
  });

  it('says in the log of the child that its parent was cancelled', () => {
    const run = simulate([boss([hand('w')]), waitingWorker('w')]);
    run.cancel();
    expect(run.events('root.1').at(-1)).toMatchObject({
      type: 'run.cancelled',
      payload: { reason: 'parent-cancelled', parentRunId: 'root' },
    });
  });
});
