import type { EventOf, Json } from '@baton/protocol';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../../tests/verifies.ts';
import { type Simulation, simulate } from '../../../../conformance/src/testkit/simulation.ts';
import { boss, hand, TERMINATE, worker } from '../../../../conformance/src/testkit/workflows.ts';

const unsure = (confidence: number) => ({ ...hand('w'), confidence });
const doubtful = (confidence = 0.3, limits = {}) =>
  simulate([boss([unsure(confidence), TERMINATE]), worker('w'), worker('other')], { limits });

const find = <T extends string>(run: Simulation, type: T) =>
  run.events().filter((event) => event.type === type) as unknown as EventOf<never>[];
const escalations = (run: Simulation) => run.of('core.workflowChain.confidence-escalated');
const decisions = (run: Simulation) => run.of('runOrchestrator.decided');

describe('a decision that is not sure enough', () => {
  it('CONF-03 CONF-05 CONF-12 is recorded, then escalated, then asked about, in this order', () => {
    const run = doubtful();
    expect(run.types().slice(2, 6)).toEqual([
      'runOrchestrator.decided',
      'core.workflowChain.confidence-escalated',
      'interrupt.requested',
      'node.suspended',
    ]);
    expect(run.status()).toBe('waiting-approval');
    expect(escalations(run).map((event) => event.causationId)).toEqual([decisions(run)[0]!.eventId]);
  });

  it('CONF-04 FAIL-01 has no effect at all while a person thinks about it', () => {
    const run = doubtful();
    run.tick(3_600_000);
    expect(find(run, 'core.workflowChain.event')).toEqual([]);
    expect(run.runIds()).toEqual(['root']);
  });

  it('CONF-04 does not complete the run when it would have ended it', () => {
    const run = simulate([boss([{ kind: 'terminate', confidence: 0.2 }])]);
    expect(run.status()).toBe('waiting-approval');
    expect(run.types()).not.toContain('run.completed');
    run.resolve('supervisor', { action: 'accept' });
    expect(run.status()).toBe('completed');
  });

  it('CONF-11 READ-26 says how sure it was, how sure it had to be, and what it was about', () => {
    expect(escalations(doubtful())[0]!.payload).toEqual({
      confidence: 0.3,
      floor: 0.5,
      escalationKind: 'escalate',
      workerId: 'w',
      parentRunId: 'root',
      originalDecision: unsure(0.3),
    });
    const ending = simulate([boss([{ kind: 'terminate', confidence: 0.2 }])]);
    expect(escalations(ending)[0]!.payload).not.toHaveProperty('workerId');
  });

  it('CONF-14 CONF-16 READ-02 asks by an approval, and calls that escalate', () => {
    const run = doubtful();
    expect(find(run, 'interrupt.requested')[0]).toMatchObject({
      payload: {
        kind: 'approval',
        data: { actions: ['accept', 'edit-accept', 'reject'], artifactData: unsure(0.3) },
      },
    });
    expect(escalations(run)[0]!.payload.escalationKind).toBe('escalate');
  });

  it('goes ahead unchanged once accepted, and the escalation stays in the log with who answered', () => {
    verifies('CONF-06');
    const run = doubtful();
    run.resolve('supervisor', { action: 'accept' }, { by: 'bo' });
    expect(run.status()).toBe('completed');
    expect(escalations(run)).toHaveLength(1);
    expect(find(run, 'approval.received')[0]).toMatchObject({
      payload: { action: 'accept', decidedBy: 'bo' },
    });
    const began = run.of('core.workflowChain.event')[0]!;
    expect(began.causationId).toBe(decisions(run)[0]!.eventId);
    expect(decisions(run).map((event) => event.payload.iteration)).toEqual([1, 2]);
  });

  const edit = (editedArtifactData: Json) => ({ action: 'edit-accept', editedArtifactData });

  it('is replaced by the edit of a person, in the same turn and with no decision more', () => {
    verifies('READ-35', 'LOOP-02');
    const run = doubtful();
    run.resolve('supervisor', edit(hand('other')), { by: 'bo' });
    expect(decisions(run).map(({ payload }) => [payload.decision.kind, payload.iteration])).toEqual([
      ['next-worker', 1],
      ['terminate', 2],
    ]);
    expect(decisions(run)[0]!.payload.decision).toEqual(unsure(0.3));
    expect(find(run, 'approval.received')[0]).toMatchObject({
      payload: { action: 'edit-accept', decidedBy: 'bo', editedArtifactData: hand('other') },
    });
    const completed = run.of('node.completed')[0]!;
    expect(completed.payload).toEqual({
      nodeId: 'supervisor',
      outputs: { kind: 'next-worker', iteration: 1 },
    });
    const began = run.of('core.workflowChain.event')[0]!;
    expect(began).toMatchObject({ causationId: decisions(run)[0]!.eventId, payload: { workerId: 'other' } });
    expect(run.run('root.1').workflowId).toBe('other');
    expect(run.runIds()).toEqual(['root', 'root.1']);
    expect(run.status()).toBe('completed');
  });

  it('READ-35 STATE-02 counts an edited turn once against the limit', () => {
    const run = simulate([boss([unsure(0.3), hand('w')]), worker('w')], {
      configurable: { maxLoopIterations: 1 },
    });
    run.resolve('supervisor', edit(hand('w')));
    expect(find(run, 'cap.breached')).toMatchObject([
      { payload: { kind: 'loop-iterations', limit: 1, observed: 2 } },
    ]);
    expect(run.runIds()).toEqual(['root', 'root.1']);
  });

  it('READ-35 ends the run where the edit says so, with the criteria of the edit', () => {
    const run = doubtful();
    const successCriteria = [{ key: 'done', met: false }];
    run.resolve('supervisor', edit({ kind: 'terminate', successCriteria }));
    expect(run.run().goal).toEqual({ met: false, criteria: successCriteria });
    expect(run.runIds()).toEqual(['root']);
  });

  it('READ-35 refuses an edit that states a confidence, and keeps asking', () => {
    const run = doubtful();
    expect(() => run.resolve('supervisor', edit(unsure(0.2)))).toThrow('confidence must be left out');
    expect(() => run.resolve('supervisor', edit({ ...TERMINATE, confidence: 1 }))).toThrow('confidence');
    expect(run.status()).toBe('waiting-approval');
  });

  it('CONF-01 refuses a replacement that is not a decision, and keeps asking', () => {
    const run = doubtful();
    const bad = { action: 'edit-accept', editedArtifactData: { kind: 'terminate', confidence: 2 } };
    expect(() => run.resolve('supervisor', bad)).toThrow('confidence');
    expect(run.status()).toBe('waiting-approval');
    expect(decisions(run)).toHaveLength(1);
  });

  it('is dropped when rejected, and the supervisor takes another turn', () => {
    const run = doubtful();
    run.resolve('supervisor', { action: 'reject' });
    expect(decisions(run).map(({ payload }) => [payload.decision.kind, payload.iteration])).toEqual([
      ['next-worker', 1],
      ['terminate', 2],
    ]);
    expect(run.runIds()).toEqual(['root']);
    expect(run.status()).toBe('completed');
  });
});

describe('the floor', () => {
  it.each<[number, { confidenceFloor?: number }, string]>([
    [0.49, {}, 'waiting-approval'],
    [0.5, {}, 'completed'],
    [0.6, { confidenceFloor: 0.8 }, 'waiting-approval'],
    [0.8, { confidenceFloor: 0.8 }, 'completed'],
  ])('with confidence %s and %j the run is %s', (confidence, limits, status) => {
    verifies('CONF-02', 'CONF-03', 'CONF-09', 'READ-19');
    const run = doubtful(confidence, limits);
    expect(run.status()).toBe(status);
    for (const { payload } of escalations(run)) expect(payload.floor).toBe(limits.confidenceFloor ?? 0.5);
  });

  it('CONF-07 CONF-17 asks nobody when no confidence is stated', () => {
    const run = simulate([boss([hand('w'), TERMINATE]), worker('w')], { limits: { confidenceFloor: 1 } });
    expect(run.status()).toBe('completed');
    expect(escalations(run)).toEqual([]);
  });

  it('is another rule than the threshold of agents: 0.6 is enough for a decision, not for an agent', () => {
    verifies('CONF-10', 'READ-15');
    expect(doubtful(0.6).status()).toBe('completed');
    const agent = { mockDecision: { decision: 'x', confidence: 0.6 } };
    const nodes = [{ id: 'a', typeId: 'core.conformance.mock-agent', config: agent }];
    const run = simulate([{ id: 'agent', nodes }]);
    expect(run.status()).toBe('waiting-approval');
    expect(escalations(run)).toEqual([]);
  });

  it('CONF-13 CAP-11 does not exist while the execution model is switched off', () => {
    const run = simulate([boss([unsure(0.1), TERMINATE]), worker('w')], { chainEvents: false });
    expect(run.status()).toBe('completed');
    expect(escalations(run)).toEqual([]);
  });
});
