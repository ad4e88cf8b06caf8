import { describe, expect, it } from 'vitest';
import {
  type Simulation,
  type SimulationOptions,
  simulate,
} from '../../../../conformance/src/testkit/simulation.ts';
import { gatedBoss, gatedCall, worker } from '../../../../conformance/src/testkit/workflows.ts';

const settings = { verifier: { workflowId: 'critic', maxRevisions: 5 } };
const OTHERS = [
  worker('writer', { text: 'draft' }),
  worker('critic', { verdict: 'revise', feedback: 'again' }),
];

const dispatching = (options: SimulationOptions) => simulate([gatedBoss(settings), ...OTHERS], options);
const calling = (options: SimulationOptions) => simulate([gatedCall(settings), ...OTHERS], options);

const attempts = (run: Simulation) => run.runIds().filter((id) => run.run(id).workflowId === 'writer').length;
const verdicts = (run: Simulation) => run.of('agent.verified').length;

describe('attempts that a critic asks for', () => {
  it.each([
    // The decision counts as the first iteration, so one is left for another attempt.
    ['dispatch', dispatching, 2, 2],
    ['sub-workflow', calling, 2, 3],
  ])('READ-42 VERIFY-11 count as turns, on a %s', (_way, start, maxLoopIterations, expected) => {
    const run = start({ configurable: { maxLoopIterations } });
    expect(attempts(run)).toBe(expected);
    expect(verdicts(run)).toBe(expected);
    expect(run.of('baton.merge.settled')).toMatchObject([
      { payload: { merged: false, why: 'verdict-failed', verdict: 'revise' } },
    ]);
    expect(run.status()).toBe('failed');
  });

  it('READ-42 STATE-02 leave the supervisor no turn when they have used all of them', () => {
    const run = dispatching({ configurable: { maxLoopIterations: 3 } });
    expect(attempts(run)).toBe(3);
    expect(run.of('cap.breached')).toMatchObject([
      { payload: { kind: 'loop-iterations', limit: 3, observed: 4 } },
    ]);
  });

  it('VERIFY-11 are one more where maxRevisions is not stated', () => {
    const once = gatedCall({ verifier: { workflowId: 'critic' } });
    expect(attempts(simulate([once, ...OTHERS]))).toBe(2);
  });

  it('READ-42 end with maxRevisions where that is smaller', () => {
    expect(attempts(dispatching({ configurable: { maxLoopIterations: 20 } }))).toBe(6);
  });

  it('READ-42 are counted without chain events, too', () => {
    expect(attempts(dispatching({ configurable: { maxLoopIterations: 2 }, chainEvents: false }))).toBe(2);
  });
});
