import type { Json } from '@baton/protocol';
import { describe, expect, it } from 'vitest';
import { type Simulation, simulate } from '../../../../conformance/src/testkit/simulation.ts';
import {
  declare,
  gatedBoss,
  gatedCall,
  inOrder,
  look,
  node,
  remember,
  workflow,
} from '../../../../conformance/src/testkit/workflows.ts';

type Config = Record<string, unknown>;

const OUTPUTS = { outputMapping: { report: 'text' } };
const writer = workflow('writer', [remember('note', { key: 'k', content: 'from the writer' })], {
  variables: declare({ text: 'draft' }),
});

const critic = (answer: Record<string, Json>) =>
  workflow('critic', inOrderNodes, { edges: inOrder(inOrderNodes), variables: declare(answer) });
/** A critic that reads and writes memory. */
const inOrderNodes = [look('look', { into: 'saw' }), remember('note', { key: 'critics', content: 'no' })];

const contents = (run: Simulation) => run.memory().map((row) => row.content);
const APPROVAL = { outputAttestation: { requireApproval: true, timeoutMs: 1000 } };
const VERIFIER = { verifier: { workflowId: 'critic', maxRevisions: 0 } };
const answer = (value: Record<string, Json>) => (run: Simulation) => run.resolve('dispatch', value);
const none = () => undefined;

describe.each([
  ['dispatch node', gatedBoss, OUTPUTS],
  ['sub-workflow node', gatedCall, OUTPUTS],
  ['dispatch node without a mapping', gatedBoss, {}],
  ['sub-workflow node without a mapping', gatedCall, {}],
])('what a gated child of a %s remembered', (_way, parent, mapping) => {
  const start = (settings: Config, more: readonly unknown[] = [], config: Config = {}) =>
    simulate([parent(settings, { ...mapping, ...config }), writer, ...more]);

  it.each([
    ['accept', answer({ action: 'accept' })],
    ['edit-accept', answer({ action: 'edit-accept', editedArtifactData: { text: 'edited' } })],
    [
      'accept at the last moment',
      (run: Simulation) => {
        run.tick(999);
        run.resolve('dispatch', { action: 'accept' });
      },
    ],
  ])('ATTEST-11 is not seen while a person is asked, and comes home with %s', (_action, act) => {
    const run = start(APPROVAL);
    expect(run.status('root.1')).toBe('completed');
    expect(contents(run)).toEqual([]);
    expect(run.types()).not.toContain('baton.memory.carried');
    act(run);
    expect(contents(run)).toEqual(['from the writer']);
    const types = run.types();
    expect(types.indexOf('baton.memory.carried')).toBeLessThan(types.indexOf('baton.merge.settled'));
    const [resolved] = run.of('interrupt.resolved');
    expect(run.of('baton.memory.carried')[0]?.causationId).toBe(resolved?.eventId);
  });

  it('comes home when a critic passes it, and the critic’s own notes never do', () => {
    const run = start(VERIFIER, [critic({ verdict: 'pass' })]);
    expect(run.memory('root.2').map((row) => row.id)).toEqual(['critics']);
    expect(contents(run)).toEqual(['from the writer']);
  });

  it('comes home when nothing stands in the way of the merge', () => {
    expect(contents(start({ outputAttestation: { checksum: true } }))).toEqual(['from the writer']);
  });

  it.each<[string, Config, readonly unknown[], (run: Simulation) => unknown]>([
    ['a person rejects it', APPROVAL, [], answer({ action: 'reject' })],
    ['nobody answers in time', APPROVAL, [], (run) => run.tick(1000)],
    ['the run is cancelled', APPROVAL, [], (run) => run.cancel()],
    ['a question comes back', APPROVAL, [], answer({ action: 'ask', question: 'Why?' })],
    ['a critic fails it', VERIFIER, [critic({ verdict: 'fail' })], none],
    ['a critic gives no answer', VERIFIER, [critic({})], none],
    ['a critic wants it revised once too often', VERIFIER, [critic({ verdict: 'revise' })], none],
    ['there is no such critic', VERIFIER, [], none],
  ])('ATTEST-15 FAIL-02 stays where it is when %s', (_why, settings, more, act) => {
    const run = start(settings, more);
    act(run);
    expect(run.memory('root.1')).toHaveLength(1);
    expect(contents(run)).toEqual([]);
    expect(run.run().memory.version).toBe(0);
    expect(run.types()).not.toContain('baton.memory.carried');
  });

  it('stays where it is when the merge lets in an isolated child', () => {
    const run = start(APPROVAL, [], { memoryScopeIsolation: 'isolated' });
    run.resolve('dispatch', { action: 'accept' });
    expect(run.of('baton.merge.settled')).toMatchObject([{ payload: { merged: true } }]);
    expect(contents(run)).toEqual([]);
  });

  it('comes home from the attempt that passed only', () => {
    const settings = { verifier: { workflowId: 'critic', maxRevisions: 1 } };
    const judge = workflow(
      'critic',
      [
        node('judge', 'vendor.baton.set', {
          assign: { verdict: 'variables.attempt > 1 ? "pass" : "revise"' },
        }),
      ],
      { variables: declare({ attempt: 0 }) },
    );
    const run = start(settings, [judge]);
    const carried = run.of('baton.memory.carried');
    expect(carried.map((event) => event.payload)).toMatchObject([{ childRunId: 'root.3', version: 1 }]);
  });
});

describe('a critic', () => {
  it('sees what the parent remembers, and not what it judges', () => {
    const nodes = [
      remember('before', { key: 'parents', content: 'x' }),
      node('sub', 'core.subWorkflow', { workflowId: 'writer' }, { settings: VERIFIER }),
    ];
    const run = simulate([
      workflow('parent', nodes, { edges: inOrder(nodes) }),
      writer,
      critic({ verdict: 'pass' }),
    ]);
    expect(run.run('root.2').role).toBe('critic');
    expect(run.run('root.2').variables.saw).toMatchObject([{ id: 'parents' }]);
    expect(run.memory().map((row) => row.id)).toEqual(['k', 'parents']);
  });
});
