import { describe, expect, it } from 'vitest';
import { type Simulation, simulate } from '../../../../conformance/src/testkit/simulation.ts';
import {
  declare,
  gatedBoss,
  hand,
  inOrder,
  node,
  remember,
  TERMINATE,
  worker,
  workflow,
} from '../../../../conformance/src/testkit/workflows.ts';

/**
 * The rules of the merge gate hold again for another attempt after a `revise`, and for a verdict with an
 * approval.
 */

const MAPPING = { outputMapping: { report: 'text' } };
const writer = worker('writer', { text: 'draft' });
/** Sends the first attempt back and passes the second. */
const moody = workflow('critic', [
  node('judge', 'vendor.baton.set', {
    assign: { verdict: 'inputs.attempt > 1 ? "pass" : "revise"', feedback: '"again"' },
  }),
]);
const REVISE = { verifier: { workflowId: 'critic', maxRevisions: 1 } };

describe('a worker that is sent back', () => {
  it('SCOPE-01 SCOPE-05 has the narrowed scopes of its first attempt', () => {
    const settings = { ...REVISE, outputAttestation: { principalScope: ['runs:read'] } };
    const run = simulate([gatedBoss(settings, MAPPING), writer, moody], {
      scopes: ['runs:read', 'runs:cancel'],
    });
    expect(run.run('root.3')).toMatchObject({ workflowId: 'writer', scopes: ['runs:read'] });
    expect(run.run().variables.report).toBe('draft');
  });

  it('MEM-03 starts without the memory of its parent again where its node isolates', () => {
    const isolated = { workflowId: 'writer', ...MAPPING, memoryScopeIsolation: 'isolated' };
    const nodes = [
      remember('note', { key: 'k', content: 'of the parent' }),
      node('dispatch', 'core.subWorkflow', isolated, { settings: REVISE }),
    ];
    const run = simulate([workflow('parent', nodes, { edges: inOrder(nodes) }), writer, moody]);
    expect(run.run('root.3').workflowId).toBe('writer');
    expect([run.memory('root.1'), run.memory('root.3')]).toEqual([[], []]);
    expect(run.memory()).toHaveLength(1);
  });
});

describe('the time of a critic', () => {
  it('READ-21 is over at its deadline: an answer of that very moment is late', () => {
    const slow = workflow('critic', [node('think', 'core.delay', { ms: 1000 })], {
      variables: declare({ verdict: 'pass' }),
    });
    const start = (timeoutMs: number): Simulation => {
      const settings = { verifier: { workflowId: 'critic', maxRevisions: 0, timeoutMs } };
      const run = simulate([gatedBoss(settings, MAPPING), writer, slow]);
      run.tick(1000);
      return run;
    };
    expect(start(1000).run().variables).not.toHaveProperty('report');
    expect(start(1001).run().variables.report).toBe('draft');
  });
});

describe('an objection of a critic beside a person', () => {
  /** Fails outputs with the text "poor". */
  const strict = workflow('critic', [
    node('judge', 'vendor.baton.set', {
      assign: { verdict: 'inputs.outputs.text == "poor" ? "fail" : "pass"' },
    }),
  ]);
  const both = {
    verifier: { workflowId: 'critic', maxRevisions: 0 },
    outputAttestation: { requireApproval: true, timeoutMs: 1000 },
  };
  const mappings = { inputMapping: { text: 'wanted' }, ...MAPPING };

  it.each<[string, (run: Simulation) => void]>([
    ['a person rejects', (run) => run.resolve('dispatch', { action: 'reject' })],
    ['nobody approves in time', (run) => run.tick(1000)],
  ])('VERIFY-10 still stands when the worker passes later and %s it', (_what, act) => {
    const plan = [hand('writer'), { kind: 'ask-user', prompt: 'And now?' }, hand('writer'), TERMINATE];
    const run = simulate([gatedBoss(both, mappings, plan), writer, strict], { inputs: { wanted: 'poor' } });
    expect(run.run().unresolved).toEqual(['writer']);
    run.setVariables({ wanted: 'good' });
    run.resolve('dispatch', { answers: { answer: 'Again.' } });
    expect(run.status()).toBe('waiting-approval');
    act(run);
    expect(run.run().variables).not.toHaveProperty('report');
    expect(run.run().unresolved).toEqual(['writer']);
    expect(run.types()).not.toContain('run.completed');
  });

  it.each<[string, (run: Simulation) => void]>([
    ['rejects', (run) => run.resolve('dispatch', { action: 'reject' })],
    ['does not answer', (run) => run.tick(1000)],
  ])('VERIFY-10 is only ever a critic’s: a person who %s leaves none', (_what, act) => {
    const run = simulate([gatedBoss(both, mappings), writer, strict], {
      inputs: { wanted: 'good' },
    });
    act(run);
    expect([run.status(), run.run().unresolved, run.run().goal]).toEqual(['completed', [], undefined]);
  });
});
