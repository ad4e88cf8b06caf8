import { beforeEach, describe, expect, it } from 'vitest';
import { verifies } from '../../../../../tests/verifies.ts';
import { type Simulation, simulate } from '../../../../conformance/src/testkit/simulation.ts';
import {
  boss,
  declare,
  edge,
  hand,
  node,
  TERMINATE,
  workflow,
} from '../../../../conformance/src/testkit/workflows.ts';

/**
 * The invariant: without an `accept` or `edit-accept` of the configured approver, and a `pass` of the
 * configured critic, no output of a child is in its parent. The tests try the ways to get around this.
 */

type Config = Record<string, unknown>;

const child = workflow('child', [node('work', 'core.noop')], { variables: declare({ out: 'produced' }) });
const slowCritic = workflow('critic', [node('gate', 'core.approvalGate')], {
  variables: declare({ verdict: 'pass' }),
});
const gate = { outputAttestation: { requireApproval: true, checksum: true } };
const MAPPING = { outputMapping: { taken: 'out' } };

const sub = (settings: Config, more: Config = {}, others: readonly Config[] = []) =>
  workflow(
    'parent',
    [node('gated', 'core.subWorkflow', { workflowId: 'child', ...MAPPING }, { settings }), ...others],
    more,
  );

const supervised = (settings: Config) => {
  const parent = boss([hand('child'), TERMINATE], MAPPING) as { nodes: Config[] };
  parent.nodes[1] = { ...parent.nodes[1], settings };
  return parent;
};

function expectNothingMerged(run: Simulation): void {
  expect(run.run().variables).not.toHaveProperty('taken');
  expect(run.types()).not.toContain('variable.changed');
  for (const event of run.events()) {
    if (event.type === 'baton.merge.settled') expect(event.payload.merged).toBe(false);
  }
}

const answerIsRefused = (run: Simulation, nodeId: string) =>
  expect(() => run.resolve(nodeId, { action: 'accept' })).toThrow();

describe('subrun-merge-approval-fail-closed: nothing is merged', () => {
  beforeEach(() => verifies('ATTEST-15'));
  it('while nobody has answered', () => {
    const run = simulate([sub(gate), child]);
    run.tick(24 * 3_600_000);
    expectNothingMerged(run);
    expect(run.status()).toBe('waiting-approval');
  });

  it.each([
    ['a sub-workflow', () => simulate([sub(gate), child]), 'gated'],
    ['a dispatched worker', () => simulate([supervised(gate), child]), 'dispatch'],
  ])('when the run of %s is cancelled, and no answer counts after that', (_what, start, nodeId) => {
    const run = start();
    run.cancel();
    answerIsRefused(run, nodeId);
    expectNothingMerged(run);
    expect(run.status()).toBe('cancelled');
  });

  it('when the question expires', () => {
    const run = simulate([sub({ outputAttestation: { requireApproval: true, timeoutMs: 1000 } }), child]);
    run.tick(1000);
    answerIsRefused(run, 'gated');
    expectNothingMerged(run);
    expect(run.run().phase).toMatchObject({ status: 'failed', error: { code: 'interrupt_timeout' } });
  });

  it('when the node takes too long', () => {
    const run = simulate([sub({ ...gate, timeoutMs: 1000 }), child]);
    run.tick(1000);
    answerIsRefused(run, 'gated');
    expectNothingMerged(run);
  });

  it('when the run takes too long', () => {
    const run = simulate([sub(gate), child], { configurable: { runTimeoutMs: 1000 } });
    run.tick(1001);
    answerIsRefused(run, 'gated');
    expectNothingMerged(run);
    expect(run.status()).toBe('failed');
  });

  it('when another branch fails the run', () => {
    const others = [node('wait', 'core.delay', { ms: 10 }), node('bad', 'core.fail')];
    const run = simulate([sub(gate, { edges: [edge('wait', 'bad')] }, others), child]);
    run.tick(10);
    answerIsRefused(run, 'gated');
    expectNothingMerged(run);
    expect(run.status()).toBe('failed');
  });

  it('when it was rejected, and the answer is given again with other words', () => {
    const run = simulate([supervised(gate), child]);
    run.resolve('dispatch', { action: 'reject' });
    answerIsRefused(run, 'dispatch');
    expectNothingMerged(run);
  });

  it('when somebody answers who may not', () => {
    const run = simulate([
      sub({ outputAttestation: { requireApproval: true, approversList: ['bo'] } }),
      child,
    ]);
    expect(() => run.resolve('gated', { action: 'accept', voter: 'bo' }, { by: 'eve' })).toThrow();
    expectNothingMerged(run);
  });

  it('by an action that is not accept', () => {
    for (const action of ['refine', 'maybe', 'ask', '']) {
      const run = simulate([sub(gate), child]);
      try {
        run.resolve('gated', { action, question: '?', refineFeedback: { scope: 'whole' } });
      } catch (refusal) {
        expect(refusal).toHaveProperty('code', 'validation_error');
      }
      expectNothingMerged(run);
    }
  });

  it('before every approver of the quorum has accepted', () => {
    const run = simulate([
      sub({ outputAttestation: { requireApproval: true, requiredApprovals: 2 } }),
      child,
    ]);
    run.resolve('gated', { action: 'accept' }, { by: 'bo' });
    run.resolve('gated', { action: 'accept', voter: 'somebody else' }, { by: 'bo' });
    expectNothingMerged(run);
  });

  it('from a child that failed or was cancelled', () => {
    const failing = workflow('child', [node('work', 'core.fail')], {
      variables: declare({ out: 'produced' }),
    });
    expectNothingMerged(simulate([supervised(gate), failing]));
    const waiting = workflow('child', [node('gate', 'core.approvalGate')], {
      variables: declare({ out: 'produced' }),
    });
    const run = simulate([supervised(gate), waiting]);
    run.cancel('root.1');
    expectNothingMerged(run);
  });

  it('while the critic is thinking, also when the run ends meanwhile', () => {
    const run = simulate([supervised({ verifier: { workflowId: 'critic' } }), child, slowCritic]);
    expectNothingMerged(run);
    run.cancel();
    expect(run.status('root.2')).toBe('cancelled');
    expectNothingMerged(run);
  });

  it('when the critic is cancelled', () => {
    const run = simulate([supervised({ verifier: { workflowId: 'critic' } }), child, slowCritic]);
    run.cancel('root.2');
    expectNothingMerged(run);
  });

  it('when the run is paused at the gate and the critic goes past its time meanwhile', () => {
    const dozing = workflow('critic', [node('doze', 'core.delay', { ms: 500 })], {
      variables: declare({ verdict: 'pass' }),
    });
    const run = simulate([
      supervised({ verifier: { workflowId: 'critic', timeoutMs: 1000 } }),
      child,
      dozing,
    ]);
    run.pause();
    run.tick(5000);
    expectNothingMerged(run);
    run.resume();
    expectNothingMerged(run);
  });

  it('while the execution model is switched off, as little as while it is on', () => {
    const run = simulate([supervised(gate), child], { chainEvents: false });
    expect(run.status()).toBe('waiting-approval');
    expectNothingMerged(run);
    run.resolve('dispatch', { action: 'accept' });
    expect(run.run().variables.taken).toBe('produced');
  });
});
