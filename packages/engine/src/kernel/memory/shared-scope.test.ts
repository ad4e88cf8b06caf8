import { describe, expect, it } from 'vitest';
import { memoryBook } from '../../../../conformance/src/testkit/memory-book.ts';
import {
  type Simulation,
  type SimulationOptions,
  simulate,
} from '../../../../conformance/src/testkit/simulation.ts';
import {
  boss,
  declare,
  hand,
  inOrder,
  look,
  node,
  remember,
  rememberingWorker,
  TERMINATE,
  workflow,
} from '../../../../conformance/src/testkit/workflows.ts';

/** Several runs of one caller-named scope, over one memory. */
function desk() {
  const memory = memoryBook();
  const shared = (options: SimulationOptions = {}) => ({ memory, scopeId: 'desk', ...options });
  const version = () => memory.scope('acme', 'scope:desk')?.version ?? 0;
  return {
    memory,
    shared,
    /** Another writer changes the scope. */
    note(key: string) {
      const before = version();
      simulate([workflow('other', [remember('w', { key, content: key })])], shared());
      expect(version()).toBe(before + 1);
    },
  };
}

const seen = (run: Simulation) => run.of('baton.memory.seen').map((event) => event.payload);
const ids = (run: Simulation) => run.memory().map((row) => row.id);
const waits = node('gate', 'core.approvalGate', { title: 'Go on?' });
const GO_ON = { action: 'accept' };

describe.each([
  ['a host that knows', {}],
  ['a host that has to look', { forgetful: true }],
])('a scope that several runs share, on %s', (_host, options) => {
  it('is found as others left it, and what the run saw is recorded', () => {
    const { note, shared } = desk();
    note('earlier');
    const run = simulate([workflow('reader', [look('r')])], shared(options));
    expect(run.run().variables.found).toMatchObject([{ id: 'earlier' }]);
    expect(seen(run)).toEqual([{ memoryRef: 'scope:desk', version: 1 }]);
  });

  it.each([
    ['reads', look('next')],
    ['writes', remember('next', { key: 'mine', content: 'x' })],
    ['forgets', node('next', 'vendor.baton.memory.forget', { key: 'earlier' })],
    ['starts a child', node('next', 'core.subWorkflow', { workflowId: 'child' })],
    ['hands work to a worker', undefined],
    ['probes', node('next', 'core.identity', { memoryAction: 'write-then-read' })],
  ])('is looked at again before the run %s', (_does, next) => {
    const { note, shared } = desk();
    const nodes = next ? [waits, next] : [];
    const gated = next
      ? workflow('parent', nodes, { edges: inOrder(nodes) })
      : boss([{ kind: 'clarify', prompt: 'Go on?' }, hand('child'), TERMINATE]);
    const run = simulate([gated, workflow('child', [look('r')])], shared(options));
    note('earlier');
    const already = run.run().memory.version;
    expect(already).toBe(0);
    if (next) run.resolve('gate', GO_ON);
    else run.resolve('dispatch', { answers: { answer: 'yes' } });
    expect(run.status()).toBe('completed');
    expect(seen(run)[0]).toEqual({ memoryRef: 'scope:desk', version: 1 });
  });

  it('is not looked at by children, which have what their parent saw', () => {
    const { note, shared } = desk();
    const nodes = [waits, look('r')];
    const parent = workflow('parent', [node('sub', 'core.subWorkflow', { workflowId: 'child' })]);
    const run = simulate([parent, workflow('child', nodes, { edges: inOrder(nodes) })], shared(options));
    note('earlier');
    run.resolve('gate', GO_ON, { runId: 'root.1' });
    expect(run.run('root.1').variables.found).toEqual([]);
    expect(run.types('root.1')).not.toContain('baton.memory.seen');
  });

  it.each([
    ['sub-workflow', workflow('parent', [node('sub', 'core.subWorkflow', { workflowId: 'child' })])],
    ['dispatch', boss([hand('child'), TERMINATE])],
  ])('takes in the memory of a child of a %s node on top of what others wrote meanwhile', (_type, parent) => {
    const { note, shared, memory } = desk();
    const nodes = [remember('n', { key: 'childs', content: 'x' }), waits];
    const run = simulate([parent, workflow('child', nodes, { edges: inOrder(nodes) })], shared(options));
    note('others');
    run.resolve('gate', GO_ON, { runId: 'root.1' });
    expect(ids(run)).toEqual(['childs', 'others']);
    expect(memory.scope('acme', 'scope:desk')?.version).toBe(2);
  });

  it.each([
    ['a person accepts it', { outputAttestation: { requireApproval: true } }],
    ['a critic passes it', { verifier: { workflowId: 'critic' } }],
  ])('takes in what passed the gate when %s', (_how, settings) => {
    const { note, shared } = desk();
    const parent = workflow('parent', [
      node('sub', 'core.subWorkflow', { workflowId: 'child' }, { settings }),
    ]);
    const critic = workflow('critic', [waits], { variables: declare({ verdict: 'pass' }) });
    const child = rememberingWorker('child', { key: 'childs', content: 'x' });
    const run = simulate([parent, child, critic], shared(options));
    note('others');
    if ('verifier' in settings) run.resolve('gate', GO_ON, { runId: 'root.2' });
    else run.resolve('sub', GO_ON);
    expect(ids(run)).toEqual(['childs', 'others']);
  });

  it('is recorded in a supervisor’s turn as it was when the turn began', () => {
    const { note, shared } = desk();
    note('one');
    const asking = boss([{ kind: 'clarify', prompt: 'Go on?' }, TERMINATE]);
    const run = simulate([asking], shared(options));
    note('two');
    run.resolve('dispatch', { answers: { answer: 'yes' } });
    const turns = run
      .events()
      .flatMap((event) => (event.type === 'node.started' && event.payload.turn ? [event.payload.turn] : []));
    expect(turns.map((turn) => turn.memory)).toEqual([
      { scope: 'scope:desk', version: 1 },
      { scope: 'scope:desk', version: 2 },
    ]);
  });

  it('is looked at once only while nobody else writes', () => {
    const { shared } = desk();
    const nodes = [
      remember('a', { key: 'a', content: 'x' }),
      look('b'),
      remember('c', { key: 'c', content: 'x' }),
    ];
    const run = simulate([workflow('alone', nodes, { edges: inOrder(nodes) })], shared(options));
    expect(seen(run)).toEqual([]);
    expect(ids(run)).toEqual(['c', 'a']);
  });
});
