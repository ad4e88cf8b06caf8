import { describe, expect, it } from 'vitest';
import { type Simulation, simulate } from '../../../conformance/src/testkit/simulation.ts';
import {
  boss,
  edge,
  hand,
  LOOP_EDGES,
  node,
  TERMINATE,
  worker,
  workflow,
} from '../../../conformance/src/testkit/workflows.ts';

const started = (run: Simulation) =>
  run.events().flatMap((event) => (event.type === 'node.started' ? [event.nodeId] : []));

// graph.test.ts
describe('names that every object has', () => {
  it.each(['constructor', 'toString', '__proto__'])('refuses a node called %s', (id) => {
    expect(() => simulate([workflow('w', [node(id, 'core.noop')])])).toThrow(/nodes\.0\.id .*reserved/);
  });

  it('leaves a variable, an output and an answer of such a name absent until someone sets it', () => {
    const inputs = {
      a: { type: 'variable', variableName: 'toString' },
      b: { type: 'connection', nodeId: 'first', outputKey: 'valueOf', optional: true },
    };
    const run = simulate([
      workflow('w', [node('first', 'core.noop'), node('echo', 'core.identity', {}, { inputs })], {
        edges: [edge('first', 'echo')],
        variables: [{ name: 'constructor', type: 'string' }],
      }),
    ]);
    expect(run.run().nodes.echo).toMatchObject({ outputs: {} });
    const mapped = simulate([
      boss([hand('w'), TERMINATE], { inputMapping: { x: 'valueOf' }, outputMapping: { y: 'toString' } }),
      worker('w'),
    ]);
    expect([mapped.run('root.1').inputs, mapped.run().variables]).toEqual([{}, {}]);
  });
});

describe('expressions that would take too long', () => {
  const list = Array.from({ length: 20_000 }, () => 0);
  it.each([
    ['loop over a list within itself', { x: 'inputs.l.all(a, inputs.l.all(b, true))' }],
    ['look for each entry of a list in itself', { x: 'inputs.l.all(a, !(1 in inputs.l))' }],
    [
      'double a list over and over',
      Object.fromEntries(
        Array.from({ length: 16 }, (_, n) => {
          const before = n === 0 ? 'inputs.l' : `variables.x${n - 1}`;
          return [`x${n}`, `${before} + ${before}`];
        }),
      ),
    ],
  ])('fail instead of stalling the host: %s', (_what, assign) => {
    const run = simulate([workflow('w', [node('s', 'vendor.baton.set', { assign })])], {
      inputs: { l: list },
    });
    expect(run.run().phase).toMatchObject({
      error: { code: 'expression_failed', message: expect.stringContaining('steps') },
    });
  });
});

// interrupts.test.ts
describe('approval', () => {
  it('hands on what was shown, not what became of it while people thought', () => {
    const inputs = { plan: { type: 'variable', variableName: 'plan' } };
    const run = simulate(
      [
        workflow(
          'w',
          [
            node('gate', 'core.approvalGate', {}, { inputs }),
            node('wait', 'core.delay', { ms: 10 }),
            node('swap', 'vendor.baton.set', { assign: { plan: '"v2"' } }),
          ],
          { edges: [edge('wait', 'swap')] },
        ),
      ],
      { inputs: { plan: 'v1' } },
    );
    run.tick(10);
    run.resolve('gate', { action: 'accept' });
    expect(run.run().nodes.gate).toMatchObject({ outputs: { artifact: { plan: 'v1' } } });
  });

  it('counts an edit-accept towards the quorum', () => {
    const config = { requiredApprovals: 2, actions: ['accept', 'edit-accept'] };
    const run = simulate([workflow('w', [node('gate', 'core.approvalGate', config)])]);
    run.resolve('gate', { action: 'edit-accept', voter: 'a', editedArtifactData: {} });
    expect(run.status()).toBe('waiting-approval');
    run.resolve('gate', { action: 'accept', voter: 'b' });
    expect(run.status()).toBe('completed');
  });
});

describe('events from outside', () => {
  it('compares values, not the order of their members', () => {
    const data = { eventType: 'e', correlation: { order: { id: 1, shop: 'a' } } };
    const run = simulate([workflow('w', [node('wait', 'core.interrupt', { kind: 'external-event', data })])]);
    run.resolve('wait', { order: { shop: 'a', id: 1 } });
    expect(run.status()).toBe('completed');
  });
});

// loop.test.ts
describe('what leads out of a loop', () => {
  const around = (edges: object[], plan: unknown[] = [TERMINATE], dispatch = {}) =>
    workflow(
      'w',
      [
        node('start', 'core.noop'),
        node('supervisor', 'core.orchestrator.supervisor', { script: plan }),
        node('dispatch', 'core.dispatch', dispatch),
        node('other', 'core.noop'),
        node('join', 'core.noop'),
      ],
      { edges: [...LOOP_EDGES, ...edges] as never },
    );
  const join = [
    edge('supervisor', 'join', { triggerRule: 'none_failed' }),
    edge('other', 'join', { triggerRule: 'none_failed' }),
  ];

  it('goes on without the loop when the loop was skipped', () => {
    const never = edge('start', 'supervisor', { condition: { expression: 'false' } });
    expect(started(simulate([around([never, edge('start', 'other'), ...join])]))).toEqual([
      'start',
      'other',
      'join',
    ]);
  });

  it('goes on without the loop when its dispatch node failed and someone handled that', () => {
    const rescue = edge('dispatch', 'other', { triggerRule: 'any_failed' });
    const run = simulate([around([rescue, ...join], [hand('a', 'b')], { fanOutPolicy: 'reject' })]);
    expect(started(run)).toEqual(['start', 'supervisor', 'dispatch', 'other', 'join']);
  });
});

describe('a dispatch node that takes too long', () => {
  it('fails with that, whatever the retries of the workflow', () => {
    const definition = boss([hand('w'), TERMINATE], {}, { settings: { maxRetries: 1 } });
    const nodes = (definition.nodes as object[]).map((one) => ({ ...one, settings: { timeoutMs: 10 } }));
    const run = simulate([
      { ...definition, nodes },
      workflow('w', [node('wait', 'core.delay', { ms: 1000 })]),
    ]);
    run.tick(10);
    expect(run.run().phase).toMatchObject({ error: { code: 'node_timeout' } });
  });
});

// handoff.test.ts
describe('a worker that is given more than fits', () => {
  it('HAND-03 HAND-28 is not started, and the supervisor takes its next turn', () => {
    const run = simulate(
      [boss([hand('w'), TERMINATE], { inputMapping: { a: 'big', b: 'big' } }), worker('w')],
      { inputs: { big: 'x'.repeat(300) }, limits: { eventBytes: 1200 } },
    );
    const failed = run
      .events()
      .find(
        (event) => event.type === 'core.workflowChain.event' && event.payload.phase === 'dispatch.failed',
      );
    expect(failed?.payload).toMatchObject({ error: { code: 'event_too_large' } });
    expect(run.status()).toBe('completed');
  });
});

// registration.test.ts
describe('loops that leave open who acts', () => {
  const supervisor = (id: string) => node(id, 'core.orchestrator.supervisor', { script: [TERMINATE] });
  const both = (a: string, b: string, more = {}) => [edge(a, b, more), edge(b, a)];
  it.each([
    [
      'two supervisors',
      [supervisor('s'), supervisor('t'), node('d', 'core.dispatch')],
      both('s', 'd'),
      'second supervisor',
    ],
    [
      'two dispatch nodes',
      [node('e', 'core.dispatch'), supervisor('s'), node('d', 'core.dispatch')],
      [...both('s', 'd'), ...both('s', 'e')],
      'one dispatch node',
    ],
    [
      'a condition within the loop',
      [supervisor('s'), node('d', 'core.dispatch')],
      both('s', 'd', { condition: { expression: 'false' } }),
      'no condition',
    ],
    [
      'another way into the dispatch node',
      [supervisor('s'), node('d', 'core.dispatch'), node('n', 'core.noop')],
      [...both('s', 'd'), edge('n', 'd')],
      'only the supervisor',
    ],
  ])('are refused: %s', (_what, nodes, edges, words) => {
    expect(() => simulate([workflow('w', nodes, { edges })])).toThrow(words);
  });
});
