import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../tests/verifies.ts';
import { type Simulation, simulate } from '../../../conformance/src/testkit/simulation.ts';
import {
  boss,
  edge,
  failingWorker,
  hand,
  LOOP_EDGES,
  node,
  TERMINATE,
  waitingWorker,
  worker,
  workflow,
} from '../../../conformance/src/testkit/workflows.ts';

const decisions = (run: Simulation) => run.of('runOrchestrator.decided');
const kinds = (run: Simulation) => decisions(run).map((event) => event.payload.decision.kind);

describe('turns', () => {
  it('alternates decisions and handoffs, one decision a turn, counted from 1', () => {
    verifies('LOOP-01', 'LOOP-02', 'STATE-01', 'STATE-04', 'READ-14');
    const run = simulate([boss([hand('w'), hand('w'), hand('w'), TERMINATE]), worker('w')]);
    expect(kinds(run)).toEqual(['next-worker', 'next-worker', 'next-worker', 'terminate']);
    expect(decisions(run).map((event) => event.payload.iteration)).toEqual([1, 2, 3, 4]);
  });

  it.each([
    ['with an edge back', LOOP_EDGES],
    ['without one', [edge('supervisor', 'dispatch')]],
  ])('LOOP-01 READ-34 loops until terminate, %s', (_what, edges) => {
    const plan = [hand('w'), hand('w'), TERMINATE];
    const run = simulate([boss(plan, {}, { edges }), worker('w')]);
    expect(kinds(run)).toEqual(['next-worker', 'next-worker', 'terminate']);
    expect(run.of('node.dispatched')).toHaveLength(2);
    expect(run.status()).toBe('completed');
  });

  it('holds back what leads out of a loop without an edge back until the supervisor terminates', () => {
    verifies('READ-34');
    const nodes = [
      node('supervisor', 'core.orchestrator.supervisor', { script: [hand('w'), hand('w')] }),
      node('dispatch', 'core.dispatch'),
      node('after', 'core.noop'),
    ];
    const edges = [edge('supervisor', 'dispatch'), edge('dispatch', 'after')];
    const run = simulate([workflow('boss', nodes, { edges }), worker('w')]);
    const started = run.of('node.started');
    expect(started.map((event) => event.nodeId)).toEqual([
      'supervisor',
      'dispatch',
      'supervisor',
      'dispatch',
      'supervisor',
      'after',
    ]);
  });

  it('READ-34 ends a loop without an edge back at its limit', () => {
    const edges = [edge('supervisor', 'dispatch')];
    const run = simulate([boss([hand('w'), hand('w')], {}, { edges }), worker('w')], {
      configurable: { maxLoopIterations: 1 },
    });
    expect(run.run().phase).toMatchObject({ status: 'failed', error: { code: 'loop_limit_exceeded' } });
  });

  it('LOOP-03 records the decision before anything it causes', () => {
    const run = simulate([boss([hand('w'), TERMINATE]), worker('w')]);
    const first = decisions(run)[0]!;
    const caused = run.events().filter((event) => event.causationId === first.eventId);
    expect(caused.length).toBeGreaterThan(0);
    for (const event of caused) expect(event.sequence).toBeGreaterThan(first.sequence);
  });

  it('LOOP-07 LOOP-25 ends with run.completed once the supervisor terminates', () => {
    const run = simulate([boss([hand('w'), TERMINATE, hand('w')]), worker('w')]);
    expect(run.types().at(-1)).toBe('run.completed');
    expect(run.types().filter((type) => /^run\.(completed|failed|cancelled)$/.test(type))).toHaveLength(1);
    expect(kinds(run).filter((kind) => kind === 'terminate')).toHaveLength(1);
  });

  it('LOOP-11 takes the next turn only after every worker has settled', () => {
    const run = simulate([boss([hand('w', 'v'), TERMINATE]), waitingWorker('w'), worker('v')]);
    expect(decisions(run)).toHaveLength(1);
    run.resolve('gate', { action: 'accept' }, { runId: 'root.1' });
    const lastLink = run.of('core.workflowChain.event').at(-1)!;
    expect(decisions(run)[1]!.sequence).toBeGreaterThan(lastLink.sequence);
  });

  it('LOOP-12 takes another turn after a worker failed', () => {
    const run = simulate([
      boss([hand('bad'), hand('good'), TERMINATE]),
      failingWorker('bad'),
      worker('good'),
    ]);
    expect(kinds(run)).toEqual(['next-worker', 'next-worker', 'terminate']);
    expect(run.status()).toBe('completed');
  });

  it('LOOP-13 has the same state at the end of each turn, however long the workers took', () => {
    const slow = workflow('w', [node('wait', 'core.delay', { ms: 5000 })], {
      variables: [{ name: 'out', type: 'string', defaultValue: 'done' }],
    });
    const quick = worker('w', { out: 'done' });
    const parent = boss([hand('w'), hand('w'), TERMINATE], { outputMapping: { result: 'out' } });
    const [late, soon] = [simulate([parent, slow]), simulate([parent, quick])];
    late.tick(5000);
    late.tick(5000);
    expect(late.types()).toEqual(soon.types());
    expect(late.run().variables).toEqual(soon.run().variables);
  });

  it('LOOP-16 signs every decision with the same agent, which the run shows as its orchestrator', () => {
    const run = simulate([boss([hand('w'), TERMINATE]), worker('w')]);
    const ids = new Set(decisions(run).map((event) => event.payload.agentId));
    expect([...ids]).toEqual([run.run().orchestrator?.agentId]);
    expect([...ids][0]!.length).toBeGreaterThanOrEqual(3);
  });

  it('lets nodes after the loop run once it has ended, and not before', () => {
    const parent = workflow(
      'boss',
      [
        node('supervisor', 'core.orchestrator.supervisor', { script: [hand('w'), TERMINATE] }),
        node('dispatch', 'core.dispatch'),
        node('report', 'core.noop'),
      ],
      { edges: [...LOOP_EDGES, edge('supervisor', 'report')] },
    );
    const run = simulate([parent, worker('w')]);
    const at = (type: string, nodeId: string) =>
      run.events().findIndex((event) => event.type === type && event.nodeId === nodeId);
    expect(at('node.started', 'report')).toBeGreaterThan(decisions(run)[1]!.sequence);
    expect(run.status()).toBe('completed');
  });
});

describe('decisions that need a person', () => {
  it.each(['ask-user', 'clarify'])('LOOP-08 READ-01 %s asks for input and waits', (kind) => {
    const run = simulate([boss([{ kind, prompt: 'Which colour?' }, TERMINATE])]);
    const asked = run.of('interrupt.requested')[0];
    expect(asked?.payload).toMatchObject({
      kind: 'clarification',
      data: { questions: [{ id: 'answer', question: 'Which colour?' }] },
    });
    expect(run.status()).toBe('waiting-input');
    expect(decisions(run)).toHaveLength(1);
    run.resolve('dispatch', { answers: { answer: 'blue' } });
    expect(kinds(run)).toEqual([kind, 'terminate']);
    expect(run.status()).toBe('completed');
  });

  it.each(['accept', 'reject'])('LOOP-09 escalate asks for approval and goes on after %s', (action) => {
    const run = simulate([boss([{ kind: 'escalate', reason: 'Too risky?' }, TERMINATE])]);
    expect(run.of('interrupt.requested')[0]?.payload).toMatchObject({
      kind: 'approval',
    });
    expect(run.status()).toBe('waiting-approval');
    expect(decisions(run)).toHaveLength(1);
    run.resolve('dispatch', { action });
    expect(kinds(run)).toEqual(['escalate', 'terminate']);
  });

  it('STATE-09 goes on with the next iteration after an answer; none is lost or repeated', () => {
    const run = simulate([
      boss([hand('w'), { kind: 'ask-user', prompt: 'Ok?' }, hand('w'), TERMINATE]),
      worker('w'),
    ]);
    run.resolve('dispatch', { answers: { answer: 'yes' } });
    expect(decisions(run).map((event) => event.payload.iteration)).toEqual([1, 2, 3, 4]);
  });

  it('holds back a decision below the threshold of the supervisor itself, until a person accepts', () => {
    const config = { mockConfidence: 0.5, mockPendingDecision: hand('w') };
    const nodes = [
      node('supervisor', 'core.orchestrator.supervisor', config),
      node('dispatch', 'core.dispatch'),
    ];
    const run = simulate([workflow('boss', nodes, { edges: LOOP_EDGES }), worker('w')]);
    expect(run.status()).toBe('waiting-approval');
    expect(decisions(run)).toHaveLength(0);
    expect(run.of('node.suspended')[0]?.payload).toMatchObject({
      reason: 'low-confidence',
      threshold: 0.7,
      observed: 0.5,
      agentId: expect.any(String),
    });
    run.resolve('supervisor', { action: 'accept' });
    expect(kinds(run)[0]).toBe('next-worker');
  });
});

describe('decisions that cannot be routed', () => {
  it.each([
    ['LOOP-06 an unknown kind', { kind: 'improvise' }, 'kind'],
    ['LOOP-15 no worker', { kind: 'next-worker', nextWorkerIds: [] }, 'nextWorkerIds'],
    ['LOOP-15 a worker without a name', { kind: 'next-worker', nextWorkerIds: [''] }, 'nextWorkerIds.0'],
    ['LOOP-15 an empty prompt', { kind: 'ask-user', prompt: '' }, 'prompt'],
    ['LOOP-15 an empty reason', { kind: 'terminate', reason: '' }, 'reason'],
    ['LOOP-15 too much confidence', { kind: 'terminate', confidence: 1.5 }, 'confidence'],
    ['LOOP-15 an unknown key', { kind: 'terminate', because: 'x' }, 'because'],
    ['MAP-24 a mapping', { ...hand('w'), inputMapping: { a: 'b' } }, 'inputMapping'],
  ])('%s is refused, and the refusal names the field', (_what, decision, field) => {
    expect(() => simulate([boss([decision])])).toThrow(new RegExp(`${field.replaceAll('.', '\\.')} `));
  });

  it('LOOP-17 fails a dispatch node that finds no decision', () => {
    const run = simulate([workflow('lonely', [node('dispatch', 'core.dispatch')])]);
    expect(run.of('node.failed')[0]?.payload).toMatchObject({
      error: { code: 'no_pending_decision' },
    });
    expect(run.status()).toBe('failed');
  });

  it('LOOP-20 fails with fan_out_unsupported when several workers are named and fan-out is rejected', () => {
    const run = simulate([boss([hand('a', 'b')], { fanOutPolicy: 'reject' }), worker('a'), worker('b')]);
    expect(run.run().phase).toMatchObject({ status: 'failed', error: { code: 'fan_out_unsupported' } });
    expect(run.runIds()).toEqual(['root']);
  });

  it.each([
    ['LOOP-21 parallel fan-out', { fanOutPolicy: 'parallel' }, 'fanOutPolicy'],
    ['LOOP-24 conversation routing', { askUserRouting: 'conversation' }, 'askUserRouting'],
  ])('%s is refused at registration, not run as something else', (_what, config, field) => {
    expect(() => simulate([boss([TERMINATE], config)])).toThrow(field);
  });

  it('LOOP-24 accepts the routings it has', () => {
    for (const askUserRouting of ['auto', 'clarification']) {
      expect(simulate([boss([TERMINATE], { askUserRouting })]).status()).toBe('completed');
    }
  });
});
