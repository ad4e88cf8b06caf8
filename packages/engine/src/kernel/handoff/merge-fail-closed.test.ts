import { expect, it } from 'vitest';
import { type Simulation, simulate } from '../../../../conformance/src/testkit/simulation.ts';
import {
  declare,
  edge,
  failingWorker,
  gatedBoss,
  gatedCall,
  node,
  waitingWorker,
  worker,
  workflow,
} from '../../../../conformance/src/testkit/workflows.ts';

/**
 * The invariant: without an `accept` or `edit-accept` of the configured approver, and a `pass` of the
 * configured critic, no output of a child is in its parent. The tests try the ways to get around this.
 */

type Config = Record<string, unknown>;

const child = worker('writer', { out: 'produced' });
const slowCritic = waitingWorker('critic', { verdict: 'pass' });
const gate = { outputAttestation: { requireApproval: true, checksum: true } };
const judged = { verifier: { workflowId: 'critic' } };
const MAPPING = { outputMapping: { taken: 'out' } };

const approving = (more: Config) => ({ outputAttestation: { requireApproval: true, ...more } });
const sub = (settings: Config) => gatedCall(settings, MAPPING);
const supervised = (settings: Config) => gatedBoss(settings, MAPPING);

/** A gated child beside a branch that fails. */
const besideFailure = () => {
  const others = [node('wait', 'core.delay', { ms: 10 }), node('bad', 'core.fail')];
  const { nodes } = sub(gate) as { nodes: Config[] };
  return workflow('parent', [...nodes, ...others], { edges: [edge('wait', 'bad')] });
};

function expectNothingMerged(run: Simulation): void {
  expect(run.run().variables).not.toHaveProperty('taken');
  expect(run.types()).not.toContain('variable.changed');
  for (const { payload } of run.of('baton.merge.settled')) expect(payload.merged).toBe(false);
}

const answerIsRefused = (run: Simulation) =>
  expect(() => run.resolve('dispatch', { action: 'accept' })).toThrow();

it.each<[when: string, start: () => Simulation, act: (run: Simulation) => void, status: string]>([
  [
    'while nobody has answered',
    () => simulate([sub(gate), child]),
    (run) => run.tick(24 * 3_600_000),
    'waiting-approval',
  ],
  [
    'while the critic is thinking',
    () => simulate([supervised(judged), child, slowCritic]),
    () => undefined,
    'waiting-approval',
  ],
  [
    'before every approver of the quorum has accepted',
    () => simulate([sub(approving({ requiredApprovals: 2 })), child]),
    (run) => {
      run.resolve('dispatch', { action: 'accept' }, { by: 'bo' });
      run.resolve('dispatch', { action: 'accept', voter: 'somebody else' }, { by: 'bo' });
    },
    'waiting-approval',
  ],
  [
    'when somebody answers who may not',
    () => simulate([sub(approving({ approversList: ['bo'] })), child]),
    (run) =>
      expect(() => run.resolve('dispatch', { action: 'accept', voter: 'bo' }, { by: 'eve' })).toThrow(),
    'waiting-approval',
  ],
  [
    'from a child that failed',
    () => simulate([supervised(gate), failingWorker('writer', { out: 'produced' })]),
    () => undefined,
    'completed',
  ],
  [
    'from a child that was cancelled',
    () => simulate([supervised(gate), waitingWorker('writer', { out: 'produced' })]),
    (run) => run.cancel('root.1'),
    'completed',
  ],
])('ATTEST-15 nothing is merged %s', (_when, start, act, status) => {
  const run = start();
  act(run);
  expectNothingMerged(run);
  expect(run.status()).toBe(status);
});

it.each<[when: string, start: () => Simulation, act: (run: Simulation) => void, status: string]>([
  [
    'the run of a sub-workflow is cancelled',
    () => simulate([sub(gate), child]),
    (run) => run.cancel(),
    'cancelled',
  ],
  [
    'the run of a dispatched worker is cancelled',
    () => simulate([supervised(gate), child]),
    (run) => run.cancel(),
    'cancelled',
  ],
  [
    'the run is cancelled while the critic thinks',
    () => simulate([supervised(judged), child, slowCritic]),
    (run) => run.cancel(),
    'cancelled',
  ],
  [
    'the critic is cancelled',
    () => simulate([supervised(judged), child, slowCritic]),
    (run) => run.cancel('root.2'),
    'waiting-approval',
  ],
  [
    'the question expires',
    () => simulate([sub(approving({ timeoutMs: 1000 })), child]),
    (run) => run.tick(1000),
    'failed',
  ],
  [
    'the node takes too long',
    () => simulate([sub({ ...gate, timeoutMs: 1000 }), child]),
    (run) => run.tick(1000),
    'failed',
  ],
  [
    'the run takes too long',
    () => simulate([sub(gate), child], { configurable: { runTimeoutMs: 1000 } }),
    (run) => run.tick(1001),
    'failed',
  ],
  ['another branch fails the run', () => simulate([besideFailure(), child]), (run) => run.tick(10), 'failed'],
  [
    'it was rejected',
    () => simulate([supervised(gate), child]),
    (run) => run.resolve('dispatch', { action: 'reject' }),
    'completed',
  ],
])('ATTEST-15 nothing is merged when %s, and no answer counts after that', (_when, start, act, status) => {
  const run = start();
  act(run);
  answerIsRefused(run);
  expectNothingMerged(run);
  expect(run.status()).toBe(status);
});

it.each(['refine', 'maybe', 'ask', ''])('ATTEST-15 nothing is merged by the action "%s"', (action) => {
  const run = simulate([sub(gate), child]);
  try {
    run.resolve('dispatch', { action, question: '?', refineFeedback: { scope: 'whole' } });
  } catch (refusal) {
    expect(refusal).toHaveProperty('code', 'validation_error');
  }
  expectNothingMerged(run);
});

it('ATTEST-15 nothing is merged when the run is paused and the critic goes past its time meanwhile', () => {
  const dozing = workflow('critic', [node('doze', 'core.delay', { ms: 500 })], {
    variables: declare({ verdict: 'pass' }),
  });
  const late = { verifier: { workflowId: 'critic', timeoutMs: 1000 } };
  const run = simulate([supervised(late), child, dozing]);
  run.pause();
  run.tick(5000);
  expectNothingMerged(run);
  run.resume();
  expectNothingMerged(run);
});

it('ATTEST-15 the gate is the same while the execution model is switched off', () => {
  const run = simulate([supervised(gate), child], { chainEvents: false });
  expect(run.status()).toBe('waiting-approval');
  expectNothingMerged(run);
  run.resolve('dispatch', { action: 'accept' });
  expect(run.run().variables.taken).toBe('produced');
});
