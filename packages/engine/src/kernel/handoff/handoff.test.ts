import type { EventOf, RunEvent } from '@baton/protocol';
import { describe, expect, it } from 'vitest';
import { simulate } from '../../../../conformance/src/testkit/simulation.ts';
import {
  boss,
  failingWorker,
  hand,
  node,
  TERMINATE,
  waitingWorker,
  worker,
  workflow,
} from '../../../../conformance/src/testkit/workflows.ts';

type Chain = EventOf<'core.workflowChain.event'>;

const chainOf = (events: readonly RunEvent[]) =>
  events.filter((event): event is Chain => event.type === 'core.workflowChain.event');
const decidedOf = (events: readonly RunEvent[]) =>
  events.filter(
    (event): event is EventOf<'runOrchestrator.decided'> => event.type === 'runOrchestrator.decided',
  );
const phases = (events: readonly RunEvent[]) => chainOf(events).map((event) => event.payload.phase);

const happy = () =>
  simulate([
    boss([hand('w'), TERMINATE], { outputMapping: { result: 'out' } }),
    worker('w', { out: 'done' }),
  ]);

describe('a handoff that goes well', () => {
  it('HAND-01 HAND-06 HAND-27 passes each state once, with one chain event per transition, in order', () => {
    expect(phases(happy().events())).toEqual([
      'dispatch.began',
      'dispatch.succeeded',
      'child.completed',
      'output.harvested',
    ]);
  });

  it('HAND-07 HAND-08 HAND-10 HAND-13 is caused link by link, beginning with the decision', () => {
    const events = happy().events();
    const causes = [
      decidedOf(events)[0]!.eventId,
      ...chainOf(events)
        .slice(0, -1)
        .map((event) => event.eventId),
    ];
    expect(chainOf(events).map((event) => event.causationId)).toEqual(causes);
  });

  it('HAND-14 can be walked backwards from any link to a decision of the same run', () => {
    const events = happy().events();
    const byId = new Map(events.map((event) => [event.eventId, event]));
    for (const link of chainOf(events)) {
      let at: RunEvent | undefined = link;
      while (at?.type === 'core.workflowChain.event') at = byId.get(at.causationId ?? '');
      expect(at?.type).toBe('runOrchestrator.decided');
    }
  });

  it('HAND-16 names the parent keys that the harvest fills', () => {
    expect(chainOf(happy().events()).at(-1)?.payload.harvestedKeys).toEqual(['result']);
  });

  it('HAND-21 HAND-22 HAND-23 HAND-33 carries worker, parent and nothing beyond the known fields', () => {
    for (const { payload } of chainOf(happy().events())) {
      expect(payload).toMatchObject({ workerId: 'w', parentRunId: 'root' });
      const allowed = ['phase', 'workerId', 'parentRunId', 'childRunId', 'harvestedKeys', 'error'];
      expect(allowed).toEqual(expect.arrayContaining(Object.keys(payload)));
    }
  });

  it('HAND-24 names the child from dispatch.succeeded on, and not before', () => {
    const named = chainOf(happy().events()).map((event) => event.payload.childRunId);
    expect(named).toEqual([undefined, 'root.1', 'root.1', 'root.1']);
  });

  it('HAND-03 has a child with its inputs by the time dispatch.succeeded is recorded', () => {
    const run = simulate(
      [boss([hand('w'), TERMINATE], { inputMapping: { topic: 'subject' } }), worker('w')],
      {
        inputs: { subject: 'tea' },
      },
    );
    expect(run.run('root.1').inputs).toEqual({ topic: 'tea' });
    expect(phases(run.events())[1]).toBe('dispatch.succeeded');
  });

  it('HAND-05 lets the next turn see the harvested values', () => {
    const events = happy().events();
    const harvested = events.find((event) => event.type === 'variable.changed');
    expect(harvested?.payload).toMatchObject({ name: 'result', next: 'done' });
    expect(decidedOf(events)[1]!.sequence).toBeGreaterThan(harvested!.sequence);
  });

  it('HAND-18 ends at child.completed when there is nothing to harvest', () => {
    const run = simulate([boss([hand('w'), TERMINATE]), worker('w', { out: 'done' })]);
    expect(phases(run.events())).toEqual(['dispatch.began', 'dispatch.succeeded', 'child.completed']);
    expect(run.status()).toBe('completed');
  });

  it('HAND-29 HAND-31 announces the child while it runs, and the child names its parent', () => {
    const run = simulate([boss([hand('w')]), waitingWorker('w')]);
    expect(run.of('node.dispatched')[0]?.payload).toEqual({
      childRunId: 'root.1',
      childWorkflowId: 'w',
    });
    expect(run.status('root.1')).toBe('waiting-approval');
    expect(run.run('root.1').parent).toEqual({ runId: 'root', nodeId: 'dispatch' });
  });

  it('HAND-30 stays in running while the child waits, and the parent shows what it waits for', () => {
    const run = simulate([boss([hand('w')]), waitingWorker('w')]);
    expect(phases(run.events())).toEqual(['dispatch.began', 'dispatch.succeeded']);
    expect(run.status()).toBe('waiting-approval');
  });
});

describe('a handoff that does not go well', () => {
  it('HAND-02 HAND-09 HAND-25 HAND-28 goes from began to failed when the worker cannot be started', () => {
    const run = simulate([boss([hand('nobody'), TERMINATE])]);
    const [began, failed] = chainOf(run.events());
    expect(phases(run.events())).toEqual(['dispatch.began', 'dispatch.failed']);
    expect(failed!.causationId).toBe(began!.eventId);
    expect(failed!.payload.error).toMatchObject({ code: 'worker_not_found', message: expect.any(String) });
    expect(failed!.payload.childRunId).toBeUndefined();
    expect(run.runIds()).toEqual(['root']);
    expect(decidedOf(run.events())).toHaveLength(2);
  });

  it('HAND-04 HAND-11 HAND-17 HAND-25 records a failed child and harvests nothing', () => {
    const run = simulate([
      boss([hand('w'), TERMINATE], { outputMapping: { result: 'out' } }),
      failingWorker('w', { out: 'never' }),
    ]);
    const [, succeeded, failed] = chainOf(run.events());
    expect(phases(run.events())).toEqual(['dispatch.began', 'dispatch.succeeded', 'child.failed']);
    expect(failed!.causationId).toBe(succeeded!.eventId);
    expect(failed!.payload.error?.code).toBe('worker_broke');
    expect(run.run().variables.result).toBeUndefined();
  });

  it('HAND-12 HAND-17 HAND-19 HAND-20 records a cancelled child as cancelled, not as failed', () => {
    const run = simulate([
      boss([hand('w'), TERMINATE], { outputMapping: { result: 'out' } }),
      waitingWorker('w', { out: 'never' }),
    ]);
    run.cancel('root.1');
    const [, succeeded, cancelled] = chainOf(run.events());
    expect(phases(run.events())).toEqual(['dispatch.began', 'dispatch.succeeded', 'child.cancelled']);
    expect(cancelled!.causationId).toBe(succeeded!.eventId);
    expect(cancelled!.payload.error?.code).toBe('child_cancelled');
    expect(run.status()).toBe('completed');
    expect(run.run().variables.result).toBeUndefined();
  });

  it('HAND-32 takes running children down with a cancelled parent, and their questions with them', () => {
    const run = simulate([boss([hand('w')]), waitingWorker('w')]);
    run.cancel();
    expect([run.status(), run.status('root.1')]).toEqual(['cancelled', 'cancelled']);
    expect(phases(run.events())).toEqual(['dispatch.began', 'dispatch.succeeded', 'child.cancelled']);
    expect(() => run.resolve('gate', { action: 'accept' }, { runId: 'root.1' })).toThrow(/ended/);
  });

  it('HAND-28 refuses a worker that is already running above', () => {
    const run = simulate([boss([hand('boss'), TERMINATE])]);
    expect(chainOf(run.events())[1]?.payload.error?.code).toBe('cycle_detected');
    expect(run.status()).toBe('completed');
  });

  it('HAND-28 refuses a worker that would be nested too deep', () => {
    const nested = workflow('outer', [
      node('inner', 'core.subWorkflow', { workflowId: 'boss', onChildFailure: 'absorb' }),
    ]);
    const run = simulate([nested, boss([hand('w'), TERMINATE]), worker('w')], { limits: { maxDepth: 2 } });
    expect(chainOf(run.events('root.1'))[1]?.payload.error?.code).toBe('depth_limit_exceeded');
  });
});

describe('a decision that names several workers', () => {
  const two = () => simulate([boss([hand('a', 'b'), TERMINATE]), worker('a'), worker('b')]);

  it('HAND-15 roots each chain in the one decision', () => {
    const events = two().events();
    const began = chainOf(events).filter((event) => event.payload.phase === 'dispatch.began');
    const decision = decidedOf(events)[0]!.eventId;
    expect(began.map((event) => event.causationId)).toEqual([decision, decision]);
  });

  it('LOOP-10 LOOP-19 hands work to each in order, the next only after the one before has settled', () => {
    const links = chainOf(two().events()).map(({ payload }) => `${payload.workerId} ${payload.phase}`);
    expect(links).toEqual([
      'a dispatch.began',
      'a dispatch.succeeded',
      'a child.completed',
      'b dispatch.began',
      'b dispatch.succeeded',
      'b child.completed',
    ]);
  });

  it('READ-22 still runs the others when one of them fails', () => {
    const run = simulate([
      boss([hand('bad', 'nobody', 'good'), TERMINATE]),
      failingWorker('bad'),
      worker('good'),
    ]);
    expect(phases(run.events())).toEqual([
      'dispatch.began',
      'dispatch.succeeded',
      'child.failed',
      'dispatch.began',
      'dispatch.failed',
      'dispatch.began',
      'dispatch.succeeded',
      'child.completed',
    ]);
    expect(run.status()).toBe('completed');
  });
});

describe('with the execution model switched off', () => {
  it('HAND-26 CAP-11 CAP-14 runs the same workflow to the same result without one chain event', () => {
    const definitions = [
      boss([hand('w', 'nobody', 'bad'), TERMINATE], { outputMapping: { result: 'out' } }),
      worker('w', { out: 'done' }),
      failingWorker('bad'),
    ];
    const run = simulate(definitions, { chainEvents: false });
    expect(run.types()).not.toContain('core.workflowChain.event');
    expect(run.run().variables.result).toBe('done');
    expect(run.status()).toBe('completed');
  });
});
