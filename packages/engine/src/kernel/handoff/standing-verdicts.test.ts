import type { Json } from '@baton/protocol';
import { describe, expect, it } from 'vitest';
import { type SimulationOptions, simulate } from '../../../../conformance/src/testkit/simulation.ts';
import {
  gatedBoss,
  hand,
  node,
  TERMINATE,
  worker,
  workflow,
} from '../../../../conformance/src/testkit/workflows.ts';

/**
 * Verdicts together with other rules: later merges, the end of a plan, success criteria, the confidence
 * floor.
 */

type Config = Record<string, unknown>;

const HARVEST = { outputMapping: { report: 'text' } };
const VERIFIER = { verifier: { workflowId: 'critic', maxRevisions: 0 } };
/** Turns down only the work of `bad`. */
const picky = workflow('critic', [
  node('judge', 'vendor.baton.set', { assign: { verdict: 'inputs.workerId == "bad" ? "fail" : "pass"' } }),
]);
const WORKERS = [worker('good', { text: 'fine' }), worker('bad', { text: 'poor' })];

const judged = (
  plan: readonly unknown[],
  critic: unknown = picky,
  settings: Config = VERIFIER,
  options: SimulationOptions = {},
) => {
  return simulate([gatedBoss(settings, HARVEST, plan), ...WORKERS, critic], options);
};
const answering = (answer: Record<string, Json>) => worker('critic', answer);

describe('an objection of a critic', () => {
  it('VERIFY-10 stands when the work of another worker is merged later', () => {
    const run = judged([hand('bad', 'good'), TERMINATE]);
    expect(run.run().variables.report).toBe('fine');
    expect(run.run().unresolved).toEqual(['bad']);
    expect(run.status()).toBe('waiting-approval');
  });

  it('VERIFY-10 stands over a later turn in which another worker was merged', () => {
    const run = judged([hand('bad'), hand('good'), TERMINATE]);
    expect(run.run().unresolved).toEqual(['bad']);
    expect(run.status()).toBe('waiting-approval');
    expect(run.types()).not.toContain('run.completed');
  });

  it.each([
    ['against both workers', [hand('bad', 'worse'), hand('bad'), TERMINATE], ['bad', 'worse']],
    ['against one of them twice', [hand('bad'), hand('bad'), TERMINATE], ['bad']],
  ])('VERIFY-10 stands once for each worker, %s', (_what, plan, unresolved) => {
    const parent = gatedBoss(VERIFIER, HARVEST, plan);
    const run = simulate([parent, ...WORKERS, worker('worse'), answering({ verdict: 'fail' })]);
    expect([...run.run().unresolved].sort()).toEqual(unresolved);
  });

  it('VERIFY-10 is withdrawn when the same worker is merged in a later turn', () => {
    const strict = workflow('critic', [
      node('judge', 'vendor.baton.set', {
        assign: { verdict: 'inputs.outputs.text == "poor" ? "fail" : "pass"' },
      }),
    ]);
    const plan = [hand('bad'), { kind: 'ask-user', prompt: 'And now?' }, hand('bad'), TERMINATE];
    const parent = gatedBoss(VERIFIER, { inputMapping: { text: 'wanted' }, ...HARVEST }, plan);
    const run = simulate([parent, worker('bad', { text: 'x' }), strict], { inputs: { wanted: 'poor' } });
    expect(run.run().unresolved).toEqual(['bad']);
    run.setVariables({ wanted: 'good' });
    run.resolve('dispatch', { answers: { answer: 'Try again.' } });
    expect([run.status(), run.run().unresolved]).toEqual(['completed', []]);
  });

  it('VERIFY-10 keeps a plan that is used up from ending the run', () => {
    const run = judged([hand('bad')]);
    expect(run.of('runOrchestrator.decided').at(-1)?.payload.decision).toMatchObject({
      kind: 'terminate',
      reason: 'plan-exhausted',
    });
    expect(run.status()).toBe('waiting-approval');
    expect(run.types()).not.toContain('run.completed');
  });

  it('VERIFY-10 asks again for the next terminate after a person turned one down', () => {
    const run = judged([hand('bad'), TERMINATE, TERMINATE]);
    run.resolve('supervisor', { action: 'reject' });
    expect(run.status()).toBe('waiting-approval');
    expect(run.of('interrupt.requested')).toHaveLength(2);
  });

  it('VERIFY-16 is not hidden by criteria that are all met', () => {
    const criteria = [{ key: 'answered', met: true }];
    const run = judged([hand('bad'), { ...TERMINATE, successCriteria: criteria }]);
    run.resolve('supervisor', { action: 'accept' });
    expect(run.status()).toBe('completed');
    expect(run.run().goal).toEqual({ met: false, criteria });
  });
});

describe('how sure a critic has to be', () => {
  const asked = (confidence: number, confidenceFloor: number) =>
    judged([hand('good'), TERMINATE], answering({ verdict: 'pass', confidence }), VERIFIER, {
      limits: { confidenceFloor },
    }).status();

  it.each([
    [0.5, 0.5, 'completed'],
    [0.499, 0.5, 'waiting-approval'],
    [0.8, 0.8, 'completed'],
    [0.79, 0.8, 'waiting-approval'],
    [0, 0.5, 'waiting-approval'],
    [1, 1, 'completed'],
  ])('VERIFY-08 a pass at %d is held against the floor of %d: %s', (confidence, floor, status) => {
    expect(asked(confidence, floor)).toBe(status);
  });

  it('VERIFY-08 is asked of its pass only: an unsure fail is a fail, and nobody is asked to merge it', () => {
    const run = judged([hand('good'), TERMINATE], answering({ verdict: 'fail', confidence: 0.1 }));
    expect(run.of('interrupt.requested').map(({ nodeId }) => nodeId)).toEqual(['supervisor']);
    expect(run.run().variables).not.toHaveProperty('report');
  });

  it('VERIFY-08 asks one question where the gate requires an approval anyway', () => {
    const both = { ...VERIFIER, outputAttestation: { requireApproval: true } };
    const run = judged([hand('good'), TERMINATE], answering({ verdict: 'pass', confidence: 0.1 }), both);
    expect(run.of('interrupt.requested')).toHaveLength(1);
    run.resolve('dispatch', { action: 'accept' });
    expect(run.status()).toBe('completed');
  });
});
