import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../../tests/verifies.ts';
import { CONFORMANCE_NODES } from '../../../../conformance/src/nodes/index.ts';
import { ALL_FEATURES, compile, simulate } from '../../../../conformance/src/testkit/simulation.ts';
import {
  boss,
  declare,
  failingWorker,
  hand,
  node,
  TERMINATE,
  waitingWorker,
  worker,
  workflow,
} from '../../../../conformance/src/testkit/workflows.ts';
import { checkDefinition } from '../graph/registration.ts';

const childInputs = (definitions: readonly unknown[], inputs = {}) => {
  const run = simulate(definitions, { inputs });
  return run
    .runIds()
    .slice(1)
    .map((id) => run.run(id).inputs);
};

const register = (definition: unknown, features = ALL_FEATURES) =>
  checkDefinition(definition, features, CONFORMANCE_NODES.of, CONFORMANCE_NODES.ids);

describe('dispatch', () => {
  it('MAP-01 accepts all four mapping fields, each optional', () => {
    const all = {
      inputMapping: { a: 'b' },
      outputMapping: { b: 'a' },
      perWorkerInputMappings: { w: { a: 'b' } },
      perWorkerOutputMappings: { w: { b: 'a' } },
    };
    for (const [field, value] of Object.entries(all)) {
      expect(() => compile([boss([TERMINATE], { [field]: value })])).not.toThrow();
    }
    expect(() => compile([boss([TERMINATE], all)])).not.toThrow();
  });

  it.each([
    ['inputMapping', 'x'],
    ['outputMapping', { a: 1 }],
    ['perWorkerInputMappings', { w: 'x' }],
    ['perWorkerOutputMappings', { w: { a: null } }],
  ])('MAP-02 refuses %s that is not a map of names', (field, value) => {
    expect(() => compile([boss([TERMINATE], { [field]: value })])).toThrow(field);
  });

  it('gives the child inputs by its own names, from the values of the parent at that moment', () => {
    verifies('MAP-03', 'MAP-06');
    expect(
      childInputs([boss([hand('w')], { inputMapping: { greeting: 'name' } }), worker('w')], {
        name: 'Alice',
      }),
    ).toEqual([{ greeting: 'Alice' }]);
  });

  it('MAP-04 MAP-08 writes mapped child variables to the parent when the child completes', () => {
    const run = simulate([
      boss([hand('w')], { outputMapping: { mine: 'theirs' } }),
      worker('w', { theirs: 42 }),
    ]);
    expect(run.run().variables.mine).toBe(42);
  });

  it('MAP-05 replaces the default map by the map of the worker, and never merges the two', () => {
    const config = {
      inputMapping: { x: 'one', y: 'two' },
      perWorkerInputMappings: { b: { x: 'two' }, c: {} },
    };
    const given = childInputs([boss([hand('a', 'b', 'c')], config), worker('a'), worker('b'), worker('c')], {
      one: 1,
      two: 2,
    });
    expect(given).toEqual([{ x: 1, y: 2 }, { x: 2 }, {}]);
  });

  it('MAP-05 does not take a name of Object.prototype for a map of the worker', () => {
    const config = { inputMapping: { x: 'one' }, perWorkerInputMappings: {} };
    expect(childInputs([boss([hand('constructor')], config), worker('constructor')], { one: 1 })).toEqual([
      { x: 1 },
    ]);
  });

  it('leaves an unset variable out, so that it is never null and the default of the child stands', () => {
    verifies('MAP-07', 'READ-05');
    const definitions = [
      boss([hand('w')], { inputMapping: { greeting: 'unset' } }),
      worker('w', { greeting: 'baked-in' }),
    ];
    const run = simulate(definitions);
    expect(run.run('root.1').inputs).toEqual({});
    expect(run.run('root.1').variables).toEqual({ greeting: 'baked-in' });
  });

  it.each([
    ['failed', failingWorker('w', { out: 'never' })],
    ['cancelled', waitingWorker('w', { out: 'never' })],
  ])('MAP-09 FAIL-02 leaves the parent as it was when the child %s', (how, child) => {
    const run = simulate([
      boss(
        [hand('w'), TERMINATE],
        { outputMapping: { result: 'out' } },
        { variables: declare({ result: 'before' }) },
      ),
      child,
    ]);
    if (how === 'cancelled') run.cancel('root.1');
    expect(run.status('root.1')).toBe(how);
    expect(run.run().variables).toEqual({ result: 'before' });
    expect(run.types()).not.toContain('variable.changed');
  });

  it('MAP-19 shows what worker N brought home to worker N+1', () => {
    const config = {
      perWorkerOutputMappings: { a: { shared: 'output' } },
      perWorkerInputMappings: { b: { input: 'shared' } },
    };
    expect(
      childInputs([boss([hand('a', 'b')], config), worker('a', { output: 'hello' }), worker('b')]),
    ).toEqual([{}, { input: 'hello' }]);
  });

  it('MAP-20 gives two entries with the same name the same mapping', () => {
    const config = { inputMapping: { x: 'one' } };
    expect(childInputs([boss([hand('w', 'w')], config), worker('w')], { one: 1 })).toEqual([
      { x: 1 },
      { x: 1 },
    ]);
  });

  it('MAP-22 MAP-23 passes nothing by itself: no mapping means empty inputs and nothing harvested', () => {
    const run = simulate([
      boss([hand('w')], {}, { variables: declare({ secret: 'mine' }) }),
      worker('w', { out: 1 }),
    ]);
    expect(run.run('root.1').inputs).toEqual({});
    expect(run.run('root.1').variables).toEqual({ out: 1 });
    expect(run.run().variables).toEqual({ secret: 'mine' });
  });
});

describe('sub-workflows', () => {
  const parent = (config: Record<string, unknown>, variables = {}) =>
    workflow('parent', [node('call', 'core.subWorkflow', { workflowId: 'child', ...config })], {
      variables: declare(variables),
    });

  it('MAP-12 MAP-14 seeds the variables of the child over its defaults', () => {
    const run = simulate([
      parent({ inputMapping: { id: 'current' } }, { current: 'prd-1' }),
      worker('child', { id: 'baked-in' }),
    ]);
    expect(run.run('root.1').variables).toEqual({ id: 'prd-1' });
  });

  it('MAP-15 READ-05 takes the default away when the mapped variable is unset; it is never null', () => {
    const run = simulate([parent({ inputMapping: { id: 'unset' } }), worker('child', { id: 'baked-in' })]);
    expect(run.run('root.1').variables).toEqual({});
  });

  it('MAP-13 MAP-16 seeds once: a later change in the parent does not reach the running child', () => {
    const run = simulate([
      parent({ inputMapping: { id: 'current' } }, { current: 'seeded' }),
      waitingWorker('child'),
    ]);
    run.setVariables({ current: 'mutated' });
    run.resolve('gate', { action: 'accept' }, { runId: 'root.1' });
    expect(run.run('root.1').variables.id).toBe('seeded');
    expect(run.run().variables.current).toBe('mutated');
  });

  it('MAP-25 fails with its child by default, and carries on when told to absorb the failure', () => {
    const failing = failingWorker('child', { out: 'never' });
    const strict = simulate([parent({ outputMapping: { mine: 'out' } }), failing]);
    expect(strict.run().phase).toMatchObject({ status: 'failed', error: { code: 'child_failed' } });
    const lenient = simulate([parent({ outputMapping: { mine: 'out' }, onChildFailure: 'absorb' }), failing]);
    expect(lenient.status()).toBe('completed');
    for (const run of [strict, lenient]) expect(run.run().variables.mine).toBeUndefined();
  });

  it('MAP-25 goes on at once when it is not to wait', () => {
    const run = simulate([parent({ waitForCompletion: false }), waitingWorker('child')]);
    expect([run.status(), run.status('root.1')]).toEqual(['completed', 'waiting-approval']);
  });

  it.each([
    [true, 'cancelled'],
    [false, 'waiting-approval'],
  ])(
    'MAP-25 with propagateCancellation %s a cancelled parent leaves its child %s',
    (propagateCancellation, left) => {
      const run = simulate([parent({ propagateCancellation }), waitingWorker('child')]);
      run.cancel();
      expect([run.status(), run.status('root.1')]).toEqual(['cancelled', left]);
    },
  );

  it('MAP-25 fails when its child is cancelled, unless it absorbs that', () => {
    for (const [onChildFailure, status] of [
      ['fail-parent', 'failed'],
      ['absorb', 'completed'],
    ]) {
      const run = simulate([parent({ onChildFailure }), waitingWorker('child')]);
      run.cancel('root.1');
      expect(run.status()).toBe(status);
    }
  });
});

describe('what a child leaves unset', () => {
  const mapping = { outputMapping: { report: 'text', note: 'missing' } };
  const before = { variables: declare({ report: 'before', note: 'before' }) };
  const call = (settings = {}) =>
    workflow(
      'parent',
      [node('call', 'core.subWorkflow', { workflowId: 'w', ...mapping }, { settings })],
      before,
    );
  const approved = { outputAttestation: { requireApproval: true } };

  it.each([
    ['dispatch', boss([hand('w'), TERMINATE], mapping, before)],
    ['sub-workflow', call()],
    ['gated sub-workflow', call({ outputAttestation: { checksum: true } })],
  ])('MAP-26 is unset in the parent afterwards, never null, on a %s', (_way, parent) => {
    const run = simulate([parent, worker('w', { text: 'done' })]);
    expect(run.run().variables).toEqual({ report: 'done' });
    const changed = run.of('variable.changed');
    expect(changed.map((event) => event.payload)).toContainEqual({ name: 'note', nodeId: expect.anything() });
  });

  it('MAP-26 holds for what an edit leaves out', () => {
    const run = simulate([call(approved), worker('w', { text: 'done', missing: 'there' })]);
    run.resolve('call', { action: 'edit-accept', editedArtifactData: { missing: 'edited' } });
    expect(run.run().variables).toEqual({ note: 'edited' });
  });
});

describe('the context of a run', () => {
  const configurable = { escalationThreshold: 0.4, maxLoopIterations: 7, model: 'mock-large' };
  const unsure = { mockDecision: { decision: 'x', confidence: 0.5 } };
  const agent = workflow('w', [node('a', 'core.conformance.mock-agent', unsure)]);

  it.each([
    ['dispatch', boss([hand('w'), TERMINATE])],
    ['sub-workflow', workflow('parent', [node('call', 'core.subWorkflow', { workflowId: 'w' })])],
  ])('MAP-27 is that of its children: options and limits, not variables, on a %s', (_way, parent) => {
    const run = simulate([parent, agent], { configurable, inputs: { secret: 'of the parent' } });
    expect(run.status()).toBe('completed');
    expect(run.run('root.1')).toMatchObject({ configurable, limits: { loopIterations: 7 } });
    expect(run.run('root.1').variables).not.toHaveProperty('secret');
    expect(simulate([parent, agent]).status()).toBe('waiting-approval');
  });

  it('MAP-27 goes down the tree', () => {
    const middle = workflow('middle', [node('call', 'core.subWorkflow', { workflowId: 'w' })]);
    const run = simulate([boss([hand('middle'), TERMINATE]), middle, agent], { configurable });
    expect(run.run('root.1.1').configurable).toEqual(configurable);
  });
});

describe('registration', () => {
  const off = { ...ALL_FEATURES, dispatchMapping: false };

  it.each(['inputMapping', 'outputMapping'])('refuses %s while the capability is off', (field) => {
    verifies('MAP-10', 'MAP-11', 'FAIL-03');
    const definition = boss([TERMINATE], { [field]: { a: 'b' } });
    expect(() => register(definition, off)).toThrow(
      expect.objectContaining({
        code: 'validation_error',
        details: expect.objectContaining({ requiredCapability: 'agents.dispatchMapping' }),
      }),
    );
  });

  it.each(['perWorkerInputMappings', 'perWorkerOutputMappings'])(
    'refuses %s while the capability is off',
    (field) => {
      verifies('MAP-11');
      expect(() => register(boss([TERMINATE], { [field]: { w: { a: 'b' } } }), off)).toThrow(
        'agents.dispatchMapping',
      );
    },
  );

  it('MAP-11 still takes empty maps while the capability is off', () => {
    expect(() =>
      register(boss([TERMINATE], { inputMapping: {}, perWorkerInputMappings: {} }), off),
    ).not.toThrow();
  });

  it('MAP-17 MAP-18 switches the two capabilities independently', () => {
    const sub = workflow('p', [node('c', 'core.subWorkflow', { workflowId: 'x', inputMapping: { a: 'b' } })]);
    const dispatching = boss([TERMINATE], { inputMapping: { a: 'b' } });
    const subOff = { ...ALL_FEATURES, subWorkflowInputMapping: false };
    expect(() => register(sub, subOff)).toThrow('subWorkflow.inputMapping');
    expect(() => register(dispatching, subOff)).not.toThrow();
    expect(() => register(sub, off)).not.toThrow();
  });

  it('MAP-21 warns about a parent variable that is not declared, and registers all the same', () => {
    const { warnings } = register(
      boss(
        [TERMINATE],
        { inputMapping: { a: 'declared', b: 'typo' }, outputMapping: { other: 'x' } },
        {
          variables: declare({ declared: 1 }),
        },
      ),
    );
    expect(warnings).toHaveLength(2);
    expect(warnings.join()).toMatch(/"typo".*"other"/s);
  });
});
