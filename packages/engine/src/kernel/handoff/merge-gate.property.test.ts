import type { Json } from '@baton/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Simulation, simulate } from '../../../../conformance/src/testkit/simulation.ts';
import {
  declare,
  gatedBoss,
  gatedCall,
  hand,
  node,
  worker,
  workflow,
} from '../../../../conformance/src/testkit/workflows.ts';

/**
 * Any combination of stages, verdicts, answers, cancels and time: a value is in the parent only if every
 * configured stage allowed it. A slice holds one step, and after every slice the tree is thrown away and recovered from
 * its log, so every step is also a crash and a recovery.
 */

const stages = fc.record({
  verdict: fc.constantFrom(undefined, 'pass', 'fail', 'revise', 'nonsense'),
  unsure: fc.boolean(),
  slow: fc.boolean(),
  approval: fc.boolean(),
  checksum: fc.boolean(),
  quorum: fc.constantFrom(1, 2),
  way: fc.constantFrom('dispatch', 'sub-workflow'),
  chainEvents: fc.boolean(),
});

const act = fc.oneof(
  fc.record({
    do: fc.constant('answer' as const),
    action: fc.constantFrom('accept', 'reject', 'edit-accept', 'ask'),
    voter: fc.constantFrom('a', 'b'),
  }),
  fc.record({ do: fc.constant('critic' as const), ok: fc.boolean() }),
  fc.record({ do: fc.constant('tick' as const), ms: fc.constantFrom(1, 400, 2000) }),
  fc.record({ do: fc.constant('cancel' as const), which: fc.nat(4) }),
  fc.record({ do: fc.constantFrom('pause' as const, 'resume' as const) }),
);
type Act = typeof act extends fc.Arbitrary<infer T> ? T : never;

function definitions(s: typeof stages extends fc.Arbitrary<infer T> ? T : never) {
  const child = worker('writer', { out: 'produced' });
  const answer = { ...(s.verdict && { verdict: s.verdict }), ...(s.unsure && { confidence: 0.1 }) };
  const critic = workflow('critic', [node('think', s.slow ? 'core.approvalGate' : 'core.noop')], {
    variables: declare(answer),
  });
  const settings = {
    ...(s.verdict && { verifier: { workflowId: 'critic', timeoutMs: 1000 } }),
    outputAttestation: {
      checksum: s.checksum,
      requireApproval: s.approval,
      requiredApprovals: s.quorum,
      timeoutMs: 5000,
    },
  };
  const mapping = { outputMapping: { taken: 'out' } };
  const parent =
    s.way === 'sub-workflow' ? gatedCall(settings, mapping) : gatedBoss(settings, mapping, [hand('writer')]);
  return [parent, child, critic];
}

function perform(run: Simulation, given: Act): void {
  try {
    if (given.do === 'answer') {
      const edited: Record<string, Json> =
        given.action === 'edit-accept' ? { editedArtifactData: { out: 'edited' } } : {};
      run.resolve('dispatch', { action: given.action, question: '?', ...edited }, { by: given.voter });
    }
    if (given.do === 'critic') {
      const id = run.runIds().findLast((one) => run.run(one).role === 'critic');
      if (id) run.resolve('think', { action: given.ok ? 'accept' : 'reject' }, { runId: id });
    }
    if (given.do === 'tick') run.tick(given.ms);
    if (given.do === 'cancel') run.cancel(run.runIds()[given.which % run.runIds().length]);
    if (given.do === 'pause') run.pause();
    if (given.do === 'resume') run.resume();
  } catch (refusal) {
    expect(refusal).toHaveProperty('code');
  }
}

describe('the merge gate, under any order of events', () => {
  it('has a value in the parent only if every configured stage allowed it', () => {
    fc.assert(
      fc.property(stages, fc.array(act, { maxLength: 10 }), (s, acts) => {
        const run = simulate(definitions(s), {
          chainEvents: s.chainEvents,
          limits: { durationMs: 100_000 },
          crashes: true,
          sliceEvents: 1,
        });
        for (const one of acts) perform(run, one);
        const merged = run.run().variables.taken;
        const verdicts = run.of('agent.verified').map(({ payload }) => payload.verdict);
        const accepted = run
          .of('interrupt.resolved')
          .filter((e) => e.nodeId === 'dispatch' && e.payload.outcome === 'answered');
        if (merged === undefined) return;
        if (s.verdict !== undefined) expect(verdicts.at(-1)).toBe('pass');
        if (s.approval || (s.verdict === 'pass' && s.unsure)) expect(accepted).toHaveLength(1);
        if (merged === 'edited') {
          expect(accepted[0]?.payload.resumeValue).toMatchObject({ action: 'edit-accept' });
        }
        const voters = new Set(
          run
            .of('approval.received')
            .flatMap(({ payload }) => (payload.action === 'reject' ? [] : [payload.voter])),
        );
        if (s.approval) expect(voters.size).toBeGreaterThanOrEqual(s.quorum);
      }),
      { numRuns: 500 },
    );
  });

  it('does merge, in each way, when everybody agrees', () => {
    for (const way of ['dispatch', 'sub-workflow'] as const) {
      const all = {
        verdict: 'pass',
        unsure: false,
        slow: false,
        approval: true,
        checksum: true,
        quorum: 1,
        way,
        chainEvents: true,
      } as const;
      const run = simulate(definitions(all), { crashes: true, sliceEvents: 1 });
      perform(run, { do: 'answer', action: 'accept', voter: 'a' });
      expect(run.run().variables.taken).toBe('produced');
    }
  });
});
