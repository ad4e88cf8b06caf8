import type { Json } from '@baton/protocol';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../../tests/verifies.ts';
import {
  type Simulation,
  type SimulationOptions,
  simulate,
} from '../../../../conformance/src/testkit/simulation.ts';
import {
  boss,
  declare,
  edge,
  gatedBoss,
  hand,
  node,
  TERMINATE,
  worker,
  workflow,
} from '../../../../conformance/src/testkit/workflows.ts';

type Config = Record<string, unknown>;

const outputs = (run: Simulation, nodeId: string) =>
  run.of('node.completed').find((event) => event.nodeId === nodeId)?.payload.outputs;

const MET = [{ key: 'done', met: true }];
const UNMET = [{ key: 'done', met: false }];
const ending = (successCriteria: Json) => ({ kind: 'terminate', successCriteria });
/** Completes without meeting its goal. */
const quitter = (id = 'quitter') => ({ ...boss([ending(UNMET)]), id });
const critic = (verdict: string) => worker('critic', { verdict });
const call = (id: string, workflowId: string, config: Config = {}, settings: Config = {}) =>
  node(id, 'core.subWorkflow', { workflowId, ...config }, { settings });
const judged = { verifier: { workflowId: 'critic' } };
const absorbing = call('call', 'w', { onChildFailure: 'absorb' }, judged);

describe('a child that gave up', () => {
  it.each([
    ['dispatch', boss([hand('quitter'), TERMINATE])],
    ['sub-workflow', workflow('parent', [call('dispatch', 'quitter')])],
    ['gated sub-workflow', workflow('parent', [call('dispatch', 'quitter', {}, judged)])],
  ])('READ-41 VERIFY-16 FAIL-09 is no success of its parent, on a %s', (_way, parent) => {
    const run = simulate([parent, quitter(), critic('pass')]);
    expect(run.status()).toBe('completed');
    expect(outputs(run, 'dispatch')).toMatchObject({ childStatus: 'completed', childGoalMet: false });
    expect(run.run().goal).toEqual({ met: false });
  });

  it('READ-41 carries up the tree', () => {
    const middle = workflow('middle', [call('call', 'quitter')]);
    const run = simulate([workflow('top', [call('call', 'middle')]), middle, quitter()]);
    expect(run.run('root.1').goal).toEqual({ met: false });
    expect(run.run().goal).toEqual({ met: false });
  });

  it('READ-41 is told to the next turn of the supervisor, in its log and to its expression', () => {
    const decide =
      'turn.iteration == 1 ? {"kind": "next-worker", "nextWorkerIds": ["quitter"]} : {"kind": "terminate", "reason": turn.goalsNotMet.join(", ")}';
    const parent = boss([]) as { nodes: Config[] };
    parent.nodes[0] = node('supervisor', 'core.orchestrator.supervisor', {}, { settings: { decide } });
    const run = simulate([parent, quitter()]);
    expect(run.of('runOrchestrator.decided').at(-1)!.payload.decision).toMatchObject({ reason: 'quitter' });
    const turns = run.of('node.started').filter((event) => event.nodeId === 'supervisor');
    expect(turns.map((event) => event.payload.turn?.goalsNotMet)).toEqual([undefined, ['quitter']]);
  });

  it('is outweighed by criteria of the supervisor itself that are all met, and by nothing less', () => {
    verifies('READ-41');
    const end = (criteria: Json) =>
      simulate([boss([hand('quitter'), ending(criteria)]), quitter()]).run().goal;
    expect(end(MET)).toEqual({ met: true, criteria: MET });
    expect(end(UNMET)).toEqual({ met: false, criteria: UNMET });
    expect(end([])).toEqual({ met: false });
  });

  it('READ-41 is forgotten once a child of the same workflow does better, and by no other', () => {
    const moody = (id: string) => {
      const decide = `variables.try > 1 ? {"kind": "terminate"} : {"kind": "terminate", "successCriteria": [{"key": "done", "met": false}]}`;
      const supervisor = node('supervisor', 'core.orchestrator.supervisor', {}, { settings: { decide } });
      return workflow(id, [supervisor], { variables: declare({ try: 1 }) });
    };
    const count = worker('count', { try: 2 });
    const dispatch = {
      inputMapping: { try: 'try' },
      perWorkerInputMappings: { count: {} },
      perWorkerOutputMappings: { count: { try: 'try' } },
    };
    const variables = declare({ try: 1 });
    const plan = (...hands: object[]) => boss([...hands, TERMINATE], dispatch, { variables });
    const better = simulate([plan(hand('moody'), hand('count'), hand('moody')), moody('moody'), count]);
    expect(better.run().goal).toBeUndefined();
    const others = simulate([
      plan(hand('moody'), hand('count'), hand('other')),
      moody('moody'),
      moody('other'),
      count,
    ]);
    expect(others.run().goal).toEqual({ met: false });
  });
});

describe('an empty list of criteria', () => {
  it('READ-41 states nothing', () => {
    expect(simulate([boss([ending([])])]).run().goal).toBeUndefined();
  });
});

describe('a verdict of fail without a supervisor to hear it', () => {
  const BETWEEN: readonly Config[] = [
    node('supervisor', 'core.orchestrator.supervisor', { script: [hand('w')] }),
    node('between', 'core.noop'),
    node('dispatch', 'core.dispatch', {}, { settings: judged }),
  ];
  const straight = workflow('straight', BETWEEN, {
    edges: [edge('supervisor', 'between'), edge('between', 'dispatch')],
  });
  const start = (definition: Config, options: SimulationOptions = {}) =>
    simulate([definition, worker('w'), critic('fail')], options);

  it('READ-41 VERIFY-10 fails a run whose graph has no loop', () => {
    expect(start(straight).run().phase).toMatchObject({
      status: 'failed',
      error: { code: 'verdict_failed' },
    });
  });

  it('READ-41 is told where the node absorbs it, and the goal of the run is not met', () => {
    const run = start(workflow('parent', [absorbing]));
    expect(run.status()).toBe('completed');
    expect(outputs(run, 'call')).toMatchObject({ merged: false, childGoalMet: false });
    expect(run.run().goal).toEqual({ met: false });
  });

  it('READ-41 leaves the goal unmet where another node takes the failure', () => {
    const nodes = [call('call', 'w', {}, judged), node('rescue', 'core.noop')];
    const run = start(
      workflow('parent', nodes, { edges: [edge('call', 'rescue', { triggerRule: 'any_failed' })] }),
    );
    expect(run.status()).toBe('completed');
    expect(run.run().goal).toEqual({ met: false });
  });

  it('READ-41 READ-25 once absorbed is outweighed by criteria that are met; one that stands is not', () => {
    const loop = boss([ending(MET)]) as { nodes: Config[]; edges: Config[] };
    const absorbed = start({
      ...loop,
      nodes: [absorbing, ...loop.nodes],
      edges: [...loop.edges, edge('call', 'supervisor')],
    });
    expect(absorbed.run().goal).toEqual({ met: true, criteria: MET });
    const run = start(gatedBoss(judged, {}, [hand('w'), ending(MET)]));
    expect(run.status()).toBe('waiting-approval');
    run.resolve('supervisor', { action: 'accept' });
    expect(run.run().goal).toEqual({ met: false, criteria: MET });
  });
});
