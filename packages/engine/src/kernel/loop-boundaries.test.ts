import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../tests/verifies.ts';
import {
  type Simulation,
  type SimulationOptions,
  simulate,
} from '../../../conformance/src/testkit/simulation.ts';
import {
  boss,
  edge,
  failingWorker,
  hand,
  LOOP_EDGES,
  node,
  TERMINATE,
  waitingWorker,
  worker,
  workflow,
} from '../../../conformance/src/testkit/workflows.ts';

/**
 * Combinations of rules of the loop: several sources of decisions, several dispatch nodes, several workers.
 */

const decisions = (run: Simulation) => run.of('runOrchestrator.decided').map(({ payload }) => payload);

/** A loop whose supervisor has this configuration and these settings. */
const deciding = (config: object, settings?: object) =>
  workflow(
    'boss',
    [
      node('supervisor', 'core.orchestrator.supervisor', { ...config }, settings ? { settings } : {}),
      node('dispatch', 'core.dispatch'),
    ],
    { edges: LOOP_EDGES },
  );
const WORKERS = [worker('a'), worker('b'), worker('c'), worker('conformance-noop')];
const firstWorkers = (run: Simulation) =>
  decisions(run).flatMap(({ decision }) => (decision.kind === 'next-worker' ? decision.nextWorkerIds : []));

describe('the sources of a plan', () => {
  const plan = { mockDispatchPlan: [hand('a')] };
  const alias = { mockDecisions: [hand('b')] };
  const pending = { mockPendingDecision: hand('c') };

  it.each([
    ['the plan before its alias', { ...alias, ...plan }, 'a'],
    ['the plan before a pending decision', { ...pending, ...plan }, 'a'],
    ['the alias before a pending decision', { ...pending, ...alias }, 'b'],
    ['a pending decision before the plan of the host', pending, 'c'],
    ['the plan of the host where there is nothing else', {}, 'conformance-noop'],
  ])('LOOP-05 are used in this order: %s', (_order, config, workerId) => {
    const run = simulate([deciding(config), ...WORKERS]);
    expect(firstWorkers(run)).toEqual([workerId]);
    expect(decisions(run).at(-1)?.decision.kind).toBe('terminate');
  });

  it('LOOP-05 takes an empty plan as a plan that is used up, and not as a missing one', () => {
    const run = simulate([deciding({ mockDispatchPlan: [], ...alias }), ...WORKERS]);
    expect(decisions(run).map(({ decision }) => decision)).toEqual([
      { kind: 'terminate', reason: 'plan-exhausted' },
    ]);
  });

  it('LOOP-04 give the same events, whether the plan is scripted or an expression of the turn', () => {
    const scripted = deciding({ script: [hand('a'), { kind: 'terminate', reason: 'done' }] });
    const decide =
      'turn.iteration == 1 ? {"kind": "next-worker", "nextWorkerIds": ["a"]} : {"kind": "terminate", "reason": "done"}';
    const computed = deciding({}, { decide });
    const shape = (definition: unknown) => {
      const run = simulate([definition, ...WORKERS]);
      return run.events().map(({ type, nodeId, causationId, payload }) => ({
        type,
        nodeId,
        causationId,
        keys: Object.keys(payload),
        ...(type === 'runOrchestrator.decided' && { payload }),
        ...(type === 'core.workflowChain.event' && { payload }),
      }));
    };
    expect(shape(computed)).toEqual(shape(scripted));
  });
});

describe('a decision below the floor that names several workers', () => {
  it('CONF-11 is escalated in the name of the first of them', () => {
    const run = simulate([boss([{ ...hand('a', 'b', 'c'), confidence: 0.1 }, TERMINATE]), ...WORKERS]);
    const escalated = run.of('core.workflowChain.confidence-escalated');
    expect(escalated.map(({ payload }) => payload.workerId)).toEqual(['a']);
    expect(escalated[0]?.payload.originalDecision).toMatchObject({ nextWorkerIds: ['a', 'b', 'c'] });
  });
});

describe('iterationCap', () => {
  /** A dispatch node after the loop. It gets the decision to terminate, so it starts no worker. */
  const twice = (iterationCap: number) =>
    workflow(
      'boss',
      [
        node('supervisor', 'core.orchestrator.supervisor', { script: [hand('a'), TERMINATE] }),
        node('dispatch', 'core.dispatch'),
        node('after', 'core.dispatch', { iterationCap }),
      ],
      { edges: [...LOOP_EDGES, edge('dispatch', 'after')] },
    );

  it('LOOP-22 counts the dispatch executions of the run, and not those of the node that states it', () => {
    const run = simulate([twice(1), ...WORKERS]);
    expect(run.of('cap.breached').map(({ payload }) => payload)).toEqual([
      { kind: 'dispatch-iterations', limit: 1, observed: 2, nodeId: 'after' },
    ]);
    expect(run.run().phase).toMatchObject({
      status: 'failed',
      error: { code: 'dispatch_limit_exceeded' },
    });
    expect(simulate([twice(2), ...WORKERS]).status()).toBe('completed');
  });
});

describe('what a dispatch node tells about its last child', () => {
  const outputs = (run: Simulation) =>
    run.of('node.completed').find(({ nodeId }) => nodeId === 'dispatch')?.payload.outputs;

  it('LOOP-23 is that it was cancelled, and not that it failed', () => {
    const run = simulate([boss([hand('a', 'asks'), TERMINATE]), worker('a'), waitingWorker('asks')]);
    run.cancel('root.2');
    expect(outputs(run)).toEqual({ childRunId: 'root.2', childStatus: 'cancelled' });
  });

  it.each([
    ['completed', [failingWorker('bad'), worker('last')], 'root.2'],
    ['failed', [worker('bad'), failingWorker('last')], 'root.2'],
  ])('LOOP-23 is how the last one ended (%s), whatever the one before did', (childStatus, workers, id) => {
    const run = simulate([boss([hand('bad', 'last'), TERMINATE]), ...workers]);
    expect(outputs(run)).toEqual({ childRunId: id, childStatus });
  });

  it('LOOP-23 names no child where none could be started', () => {
    const run = simulate([boss([hand('a', 'nobody'), TERMINATE]), worker('a')]);
    expect(outputs(run)).toEqual({ childStatus: 'failed' });
  });
});

describe('an accepted terminate', () => {
  it('STATE-09 ends the loop in the turn that decided it, with no other decision', () => {
    const end = { ...TERMINATE, confidence: 0.1 };
    const run = simulate([boss([hand('a'), end, hand('b'), TERMINATE]), ...WORKERS]);
    expect(run.status()).toBe('waiting-approval');
    run.resolve('supervisor', { action: 'accept' });
    expect(run.status()).toBe('completed');
    expect(decisions(run).map(({ iteration, decision }) => [iteration, decision.kind])).toEqual([
      [1, 'next-worker'],
      [2, 'terminate'],
    ]);
    const last = run.of('node.completed').findLast(({ nodeId }) => nodeId === 'supervisor');
    expect(last?.payload.outputs).toEqual({ kind: 'terminate', iteration: 2 });
  });

  it('STATE-09 a rejected one gives the supervisor the next turn, and the iterations go on by one', () => {
    const end = { ...TERMINATE, confidence: 0.1 };
    const run = simulate([boss([end, hand('a'), TERMINATE]), ...WORKERS]);
    run.resolve('supervisor', { action: 'reject' });
    expect(decisions(run).map(({ iteration, decision }) => [iteration, decision.kind])).toEqual([
      [1, 'terminate'],
      [2, 'next-worker'],
      [3, 'terminate'],
    ]);
  });
});

describe('two hosts', () => {
  const HARVEST = { outputMapping: { result: 'out' } };
  const definitions = [
    boss([hand('good', 'bad'), hand('nobody', 'good'), TERMINATE], HARVEST),
    worker('good', { out: 'x' }),
    failingWorker('bad'),
  ];
  const shape = (options: SimulationOptions) =>
    simulate(definitions, options)
      .events()
      .map(({ type, causationId, nodeId, payload }) => {
        const { phase, workerId } = payload as { phase?: string; workerId?: string };
        return [type, nodeId, causationId, phase, workerId].filter((part) => part !== undefined).join(' ');
      });

  it('give the same phases with the same causes, wherever their slices end and whatever they look up', () => {
    verifies('LOOP-14');
    const expected = shape({});
    expect(expected.filter((line) => line.startsWith('core.workflowChain.event'))).toEqual([
      'core.workflowChain.event dispatch root:2 dispatch.began good',
      'core.workflowChain.event dispatch root:5 dispatch.succeeded good',
      'core.workflowChain.event dispatch root:7 child.completed good',
      'core.workflowChain.event dispatch root:8 output.harvested good',
      'core.workflowChain.event dispatch root:2 dispatch.began bad',
      'core.workflowChain.event dispatch root:11 dispatch.succeeded bad',
      'core.workflowChain.event dispatch root:13 child.failed bad',
      'core.workflowChain.event dispatch root:17 dispatch.began nobody',
      'core.workflowChain.event dispatch root:20 dispatch.failed nobody',
      'core.workflowChain.event dispatch root:17 dispatch.began good',
      'core.workflowChain.event dispatch root:22 dispatch.succeeded good',
      'core.workflowChain.event dispatch root:24 child.completed good',
      'core.workflowChain.event dispatch root:25 output.harvested good',
    ]);
    for (const sliceEvents of [1, 2, 5]) expect(shape({ sliceEvents })).toEqual(expected);
    expect(shape({ forgetful: true })).toEqual(expected);
    expect(shape({ forgetful: true, sliceEvents: 1 })).toEqual(expected);
  });
});
