import type { EventOf, Json } from '@baton/protocol';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../../tests/verifies.ts';
import { memoryBook } from '../../../../conformance/src/testkit/memory-book.ts';
import {
  type Simulation,
  type SimulationOptions,
  simulate,
} from '../../../../conformance/src/testkit/simulation.ts';
import {
  boss,
  edge,
  hand,
  inOrder,
  LOOP_EDGES,
  look,
  node,
  remember,
  rememberingWorker,
  TERMINATE,
  workflow,
} from '../../../../conformance/src/testkit/workflows.ts';

const carried = (run: Simulation, runId?: string) =>
  run
    .events(runId)
    .filter((event): event is EventOf<'baton.memory.carried'> => event.type === 'baton.memory.carried');
const ids = (run: Simulation, runId?: string) => run.memory(runId).map((row) => row.id);
const childIds = (value: Json | undefined) =>
  Array.isArray(value) ? value.map((entry) => (entry as { id: string }).id) : value;

/**
 * A child of a dispatch node or of a sub-workflow node. The parent writes to memory before it starts the
 * child.
 */
const STARTERS = {
  'core.dispatch': (config: Record<string, Json>, settings: Record<string, unknown> = {}) =>
    workflow(
      'parent',
      [
        remember('before', { key: 'parents', content: 'x' }),
        node('supervisor', 'core.orchestrator.supervisor', { script: [hand('child'), TERMINATE] }),
        node('dispatch', 'core.dispatch', config, { settings }),
        look('after', { into: 'after' }),
      ],
      { edges: [edge('before', 'supervisor'), ...LOOP_EDGES, edge('supervisor', 'after')] },
    ),
  'core.subWorkflow': (config: Record<string, Json>, settings: Record<string, unknown> = {}) => {
    const nodes = [
      remember('before', { key: 'parents', content: 'x' }),
      node('sub', 'core.subWorkflow', { workflowId: 'child', ...config }, { settings }),
      look('after', { into: 'after' }),
    ];
    return workflow('parent', nodes, { edges: inOrder(nodes) });
  },
} as const;

const CHILD_NODES = [look('first', { into: 'saw' }), remember('note', { key: 'childs', content: 'y' })];
const CHILD = workflow('child', CHILD_NODES, { edges: inOrder(CHILD_NODES) });

describe.each(Object.entries(STARTERS))('a child of %s', (_type, parent) => {
  it('MEM-01 MEM-02 sees what its parent remembers, and its own entries come home', () => {
    const run = simulate([parent({}), CHILD]);
    expect(childIds(run.run('root.1').variables.saw)).toEqual(['parents']);
    expect(ids(run)).toEqual(['childs', 'parents']);
    expect(run.run('root.1')).toMatchObject({ tenant: run.run().tenant, memory: { scope: 'run:root.1' } });
  });

  it('MEM-04 has its entries in its parent from its completion on', () => {
    const run = simulate([parent({}), CHILD]);
    expect(childIds(run.run().variables.after)).toEqual(['childs', 'parents']);
    const [home] = carried(run);
    expect(home?.payload).toEqual({
      memoryRef: 'run:root',
      from: 'run:root.1',
      upTo: 1,
      childRunId: 'root.1',
      version: 2,
    });
  });

  it.each([
    ['config', { memoryScopeIsolation: 'isolated' }, {}],
    ['settings', {}, { memoryScopeIsolation: 'isolated' }],
  ])('starts with nothing and brings nothing home when isolated in its %s', (_where, config, settings) => {
    verifies('MEM-03', 'READ-20');
    const run = simulate([parent(config, settings), CHILD], { scopeId: 'desk' });
    expect(run.run('root.1').variables.saw).toEqual([]);
    expect(run.run('root.1').scopeId).toBeUndefined();
    expect(ids(run, 'root.1')).toEqual(['childs']);
    expect(childIds(run.run().variables.after)).toEqual(['parents']);
    expect(carried(run)).toEqual([]);
  });

  it('READ-20 inherits when it says so, and its config wins over its settings', () => {
    const run = simulate([
      parent({ memoryScopeIsolation: 'inherit' }, { memoryScopeIsolation: 'isolated' }),
      CHILD,
    ]);
    expect(ids(run)).toEqual(['childs', 'parents']);
  });

  it('READ-20 refuses any other word for it', () => {
    expect(() => simulate([parent({ memoryScopeIsolation: 'alone' }), CHILD])).toThrow(
      /memoryScopeIsolation/,
    );
    expect(() => simulate([parent({}, { memoryScopeIsolation: 'alone' }), CHILD])).toThrow(
      /settings\.memoryScopeIsolation/,
    );
  });

  it.each(['failed', 'cancelled'])('never brings home what it wrote before it was %s', (how) => {
    const nodes = [
      remember('note', { key: 'childs', content: 'y' }),
      how === 'failed' ? node('end', 'core.fail') : node('end', 'core.delay', { delayMs: 1000 }),
    ];
    const child = workflow('child', nodes, { edges: inOrder(nodes) });
    const run = simulate([parent({}), child]);
    if (how === 'cancelled') run.cancel('root.1');
    expect(run.status('root.1')).toBe(how);
    expect(run.memory('root.1')).toHaveLength(2);
    expect(ids(run)).toEqual(['parents']);
    expect(carried(run)).toEqual([]);
  });

  it('carries nothing and records nothing when the child wrote nothing', () => {
    const run = simulate([parent({}), workflow('child', [look('saw')])]);
    expect(carried(run)).toEqual([]);
    expect(run.run().memory.version).toBe(1);
  });

  it('brings home what a grandchild brought to it, and what it forgot', () => {
    const nodes = [
      node('forget', 'vendor.baton.memory.forget', { key: 'parents' }),
      node('sub', 'core.subWorkflow', { workflowId: 'grandchild' }),
    ];
    const run = simulate([
      parent({}),
      workflow('child', nodes, { edges: inOrder(nodes) }),
      rememberingWorker('grandchild', { key: 'grandchilds', content: 'z' }),
    ]);
    expect(ids(run)).toEqual(['grandchilds']);
    expect(carried(run)).toHaveLength(1);
    expect(carried(run, 'root.1')).toHaveLength(1);
  });

  it('loses a carried memory with the outputs that would not fit beside it', () => {
    const memory = memoryBook();
    const name = 'v'.repeat(250);
    const nodes = [
      remember('note', { key: 'childs', content: 'y' }),
      node('set', 'vendor.baton.set', { assign: { v: `"${'x'.repeat(1900)}"` } }),
    ];
    const run = simulate(
      [parent({ outputMapping: { [name]: 'v' } }), workflow('child', nodes, { edges: inOrder(nodes) })],
      { limits: { eventBytes: 2000 }, memory },
    );
    expect(run.status('root.1')).toBe('completed');
    expect(run.run().phase).toMatchObject({ error: { code: 'event_too_large' } });
    expect(run.run().memory.version).toBe(1);
    expect(memory.scope('acme', 'run:root')?.version).toBe(1);
  });
});

describe('siblings', () => {
  it('MEM-07 handed work one after the other see what the one before brought home', () => {
    const second = workflow('second', [look('look', { into: 'saw' })]);
    const run = simulate([
      boss([hand('first', 'second'), TERMINATE]),
      rememberingWorker('first', { key: 'k', content: 'x' }),
      second,
    ]);
    expect(childIds(run.run('root.2').variables.saw)).toEqual(['k']);
  });

  /** Three children side by side, all writing the same key, each looking at memory before and after. */
  const child = (id: string) => {
    const nodes = [
      look('before', { into: 'before' }),
      remember('same', { key: 'same', content: id }),
      node('pause', 'core.delay', { delayMs: 10 }),
      remember('own', { key: id, content: id }),
      look('after', { into: 'after' }),
    ];
    return workflow(id, nodes, { edges: inOrder(nodes) });
  };
  const nodes = [
    node('start', 'core.noop'),
    ...['a', 'b', 'c'].map((id) => node(`sub-${id}`, 'core.subWorkflow', { workflowId: id })),
    look('end', { into: 'all' }),
  ];
  const edges = ['a', 'b', 'c'].flatMap((id) => [edge('start', `sub-${id}`), edge(`sub-${id}`, 'end')]);
  const trial = (options: SimulationOptions) => {
    const run = simulate([workflow('parent', nodes, { edges }), child('a'), child('b'), child('c')], options);
    run.tick(10);
    return run;
  };

  it('MEM-07 MEM-08 in parallel never see each other, and come home whole, one after the other', () => {
    const run = trial({});
    for (const n of [1, 2, 3]) {
      const own = run.run(`root.${n}`);
      expect(own.variables.before).toEqual([]);
      expect(childIds(own.variables.after)).toEqual([own.workflowId, 'same']);
    }
    expect(carried(run).map((event) => event.payload.version)).toEqual([1, 2, 3]);
    const last = carried(run).at(-1)?.payload.childRunId ?? '';
    const all = run.run().variables.all as { id: string; content: string }[];
    expect(all.find(({ id }) => id === 'same')?.content).toBe(run.run(last).workflowId);
  });

  it('MEM-07 come to the same every time, wherever slices end and whatever was known', () => {
    const expected = trial({});
    for (let trialNo = 0; trialNo < 40; trialNo += 1) {
      const again = trial({ sliceEvents: 1 + (trialNo % 20), forgetful: trialNo % 2 === 1 });
      for (const runId of expected.runIds()) expect(again.events(runId)).toEqual(expected.events(runId));
      expect(again.memory()).toEqual(expected.memory());
    }
  });
});
