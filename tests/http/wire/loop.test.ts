import { afterAll, describe, expect, it } from 'vitest';
import { verifies } from '../../verifies.ts';
import { sharedHost, startTestHost } from '../host.ts';
import { ASK, boss, END, line, node, to, worker } from './definitions.ts';
import { type Observed, observing } from './observing.ts';

/** The loop of a supervisor as clients see it: by events, snapshots and refusals. */

const DECIDE =
  'turn.iteration == 1 ? {"kind": "next-worker", "nextWorkerIds": ["good"]} : {"kind": "terminate", "reason": "done"}';
const computed = (id: string, decide: string) => {
  const definition = boss(id, {});
  const [lead, hand] = definition.nodes;
  return { ...definition, nodes: [{ ...lead, settings: { decide } }, hand] };
};
const unsure = (decision: object, confidence: number) => ({ ...decision, confidence });

const WORKFLOWS = [
  worker('good', { out: 'x' }),
  worker('conformance-noop'),
  line('bad', [node('break', 'core.fail', { code: 'it_broke', message: 'as told' })]),
  boss('two-turns', [to('good'), to('good', 'bad'), END]),
  boss('used-up', [to('good')]),
  boss('no-plan', {}),
  boss('alias', { mockDecisions: [to('good'), END] }),
  boss('asks', [ASK, END]),
  boss('escalates', [{ kind: 'escalate', reason: 'Too risky?' }, END]),
  boss('rejects-fan-out', [to('good', 'good'), END], { fanOutPolicy: 'reject' }),
  boss('capped', [to('good'), to('good'), END], { iterationCap: 1 }),
  boss('unsure', [unsure(to('good', 'bad'), 0.3), END]),
  boss('at-the-floor', [unsure(to('good'), 0.5), unsure(END, 0.5)]),
  boss('unsure-end', [unsure(END, 0.2)]),
  line('lonely', [node('hand', 'core.dispatch')]),
  computed('computed', DECIDE),
  boss('scripted', [to('good'), END]),
  computed('unknown-kind', '{"kind": "dance"}'),
];
const { run, after, look } = observing(() => host);
const host = await sharedHost({ workflows: WORKFLOWS });
afterAll(() => host.stop());

const decided = (seen: Observed) => seen.of('runOrchestrator.decided');
const shape = (seen: Observed) =>
  seen.events.map(({ type, nodeId, causationId, payload }) =>
    [type, nodeId, causationId, payload.phase, payload.workerId].join(' ').replaceAll(seen.runId, 'X'),
  );

describe('a loop over HTTP', () => {
  it('takes one decision a turn, each recorded before what it causes', async () => {
    verifies('LOOP-01', 'LOOP-02', 'LOOP-03', 'LOOP-16', 'STATE-01');
    const seen = await run('two-turns');
    expect(seen.snapshot).toMatchObject({ status: 'completed', iteration: 3 });
    expect(decided(seen).map(({ payload }) => payload.iteration)).toEqual([1, 2, 3]);
    expect(seen.kinds()).toEqual(['next-worker', 'next-worker', 'terminate']);
    const agents = new Set(decided(seen).map(({ payload }) => payload.agentId));
    expect([...agents]).toEqual([seen.snapshot.runOrchestrator.agentId]);
    for (const { eventId, sequence } of decided(seen)) {
      const caused = seen.events.filter((event) => event.causationId === eventId);
      for (const event of caused) expect(event.sequence).toBeGreaterThan(sequence);
    }
  });

  it('puts the workers of a decision through one after the other, then takes the next turn', async () => {
    verifies('LOOP-10', 'LOOP-11', 'LOOP-12', 'LOOP-19');
    const seen = await run('two-turns');
    const [, second, third] = decided(seen);
    const chain = seen.chain().filter(({ sequence }) => sequence > second!.sequence);
    expect(chain.map(({ payload }) => `${payload.workerId} ${payload.phase}`)).toEqual([
      'good dispatch.began',
      'good dispatch.succeeded',
      'good child.completed',
      'bad dispatch.began',
      'bad dispatch.succeeded',
      'bad child.failed',
    ]);
    expect(third!.sequence).toBeGreaterThan(chain.at(-1)!.sequence);
  });

  it('LOOP-07 LOOP-25 ends with one terminal event, the last of the log', async () => {
    const seen = await run('two-turns');
    expect(seen.types.filter((type) => /^run\.(completed|failed|cancelled)$/.test(type))).toEqual([
      'run.completed',
    ]);
    expect(seen.types.at(-1)).toBe('run.completed');
    expect(seen.snapshot.lastSequence).toBe(seen.events.length - 1);
  });

  it.each([
    ['a plan that is used up', 'used-up', ['next-worker', 'terminate']],
    ['no plan at all', 'no-plan', ['next-worker', 'terminate']],
    ['the alias of a plan', 'alias', ['next-worker', 'terminate']],
  ])('LOOP-05 knows what to do with %s', async (_what, workflowId, kinds) => {
    const seen = await run(workflowId);
    expect([seen.snapshot.status, seen.kinds()]).toEqual(['completed', kinds]);
  });

  it('LOOP-04 gives the same events for a script and for an expression', async () => {
    expect(shape(await run('computed'))).toEqual(shape(await run('scripted')));
  });

  it('LOOP-14 gives the same phases and causes on another host', async () => {
    const here = shape(await run('two-turns'));
    const other = await sharedHost({ workflows: WORKFLOWS });
    const there = shape(await observing(() => other).run('two-turns'));
    await other.stop();
    expect(there).toEqual(here);
    expect(here.filter((text) => text.includes('dispatch.began'))).toHaveLength(3);
  });

  it('starts workers as child runs, and tells of the last one in the outputs of the dispatch node', async () => {
    verifies('LOOP-18', 'LOOP-23');
    const seen = await run('two-turns');
    expect(
      seen.snapshot.childRuns.map(({ workflowId }: { workflowId: string }) => workflowId).sort(),
    ).toEqual(['bad', 'good', 'good']);
    const last = seen.of('node.completed').findLast(({ nodeId }) => nodeId === 'hand');
    expect(last?.payload.outputs).toMatchObject({ childStatus: 'failed', childRunId: `${seen.runId}.3` });
    expect((await look(`${seen.runId}.3`)).snapshot).toMatchObject({
      workflowId: 'bad',
      status: 'failed',
      error: { code: 'it_broke' },
    });
  });

  it.each([
    ['LOOP-08 ask-user', 'asks', 'clarification', 'waiting-input', { answers: { answer: 'yes' } }],
    ['LOOP-09 escalate', 'escalates', 'approval', 'waiting-approval', { action: 'accept' }],
  ])('%s suspends the loop until somebody answers', async (_what, workflowId, kind, status, value) => {
    const seen = await run(workflowId);
    expect(seen.snapshot).toMatchObject({ status, interrupt: { kind, nodeId: 'hand' } });
    expect(seen.of('interrupt.requested').map(({ payload }) => payload.kind)).toEqual([kind]);
    expect(decided(seen)).toHaveLength(1);
    const done = await after(seen.runId, 'hand', value);
    expect(done.snapshot.status).toBe('completed');
    expect(decided(done).map(({ payload }) => payload.iteration)).toEqual([1, 2]);
  });

  it.each([
    ['LOOP-17 a dispatch node without a decision', 'lonely', 'no_pending_decision'],
    ['LOOP-20 several workers where fan-out is rejected', 'rejects-fan-out', 'fan_out_unsupported'],
    ['LOOP-06 a decision of an unknown kind', 'unknown-kind', 'invalid_decision'],
  ])('%s fails the run, and no child is started', async (_what, workflowId, code) => {
    const seen = await run(workflowId);
    expect(seen.snapshot).toMatchObject({ status: 'failed', error: { code } });
    expect(seen.of('node.failed').map(({ payload }) => payload.error.code)).toEqual([code]);
    expect(seen.snapshot).not.toHaveProperty('childRuns');
  });

  it.each([
    ['LOOP-22 iterationCap', 'capped', {}, 'dispatch-iterations', 'dispatch_limit_exceeded', 1, 2],
    [
      'STATE-02 maxLoopIterations',
      'two-turns',
      { configurable: { maxLoopIterations: 2 } },
      'loop-iterations',
      'loop_limit_exceeded',
      2,
      3,
    ],
  ])(
    '%s is breached in the log before the run fails',
    async (_what, id, body, kind, code, limit, observed) => {
      const seen = await run(id, body);
      expect(seen.types.slice(-2)).toEqual(['cap.breached', 'run.failed']);
      expect(seen.of('cap.breached')[0]?.payload).toMatchObject({ kind, limit, observed });
      expect(seen.snapshot).toMatchObject({ status: 'failed', error: { code } });
    },
  );

  it.each([
    ['LOOP-15 a decision without workers', [{ kind: 'next-worker', nextWorkerIds: [] }], {}],
    ['LOOP-15 a question without words', [{ kind: 'ask-user', prompt: '' }], {}],
    ['LOOP-15 CONF-01 a confidence above one', [unsure(END, 1.1)], {}],
    [
      'LOOP-15 a criterion with a text',
      [{ ...END, successCriteria: [{ key: 'a', met: true, text: 'b' }] }],
      {},
    ],
    ['LOOP-06 an unknown kind', [{ kind: 'dance' }], {}],
    ['MAP-24 a mapping in a decision', [{ ...to('good'), outputMapping: {} }], {}],
    ['LOOP-21 parallel fan-out', [END], { fanOutPolicy: 'parallel' }],
    ['LOOP-24 questions by conversation', [END], { askUserRouting: 'conversation' }],
  ])('%s is refused at registration, by the name of the field', async (_what, plan, dispatch) => {
    const { status, body } = await host.post('/v1/workflows', boss('refused', plan, dispatch));
    expect([status, body.error]).toEqual([400, 'validation_error']);
    expect(body.details.field).toMatch(/^nodes\.[01]\.config\./);
    expect((await host.get('/v1/workflows/refused')).status).toBe(404);
  });
});

describe('a decision below the floor, over HTTP', () => {
  it('is escalated and asked about before anything of it happens', async () => {
    verifies('CONF-03', 'CONF-04', 'CONF-05', 'CONF-11', 'CONF-12', 'CONF-14', 'SCEN-06');
    const { multiAgent } = (await host.get('/.well-known/openwop')).body;
    const seen = await run('unsure');
    const [decision] = decided(seen);
    const [escalated] = seen.of('core.workflowChain.confidence-escalated');
    const [asked] = seen.of('interrupt.requested');
    expect([decision!.sequence, escalated!.sequence, asked!.sequence]).toEqual([2, 3, 4]);
    expect(escalated!.causationId).toBe(decision!.eventId);
    expect(escalated!.payload).toEqual({
      confidence: 0.3,
      floor: 0.5,
      escalationKind: 'escalate',
      workerId: 'good',
      parentRunId: seen.runId,
      originalDecision: unsure(to('good', 'bad'), 0.3),
    });
    expect(multiAgent.executionModel.confidenceEscalationInterruptKind).toBe('approval');
    expect(seen.snapshot).toMatchObject({ status: 'waiting-approval', interrupt: { kind: 'approval' } });
    expect(seen.snapshot).not.toHaveProperty('childRuns');
    expect(seen.phases()).toEqual([]);
    const done = await after(seen.runId, 'lead', { action: 'accept' });
    expect(done.snapshot.status).toBe('completed');
    expect(done.of('core.workflowChain.confidence-escalated')).toHaveLength(1);
    expect(done.chain()[0]!.sequence).toBeGreaterThan(done.of('interrupt.resolved')[0]!.sequence);
  });

  it('keeps the escalation of a terminate in the log, and the accepted decision is the last one', async () => {
    verifies('CONF-06', 'STATE-09', 'SCEN-06');
    const seen = await run('unsure-end');
    expect(seen.of('core.workflowChain.confidence-escalated')[0]!.payload).not.toHaveProperty('workerId');
    const done = await after(seen.runId, 'lead', { action: 'accept' });
    expect([done.snapshot.status, done.kinds()]).toEqual(['completed', ['terminate']]);
    expect(done.of('core.workflowChain.confidence-escalated')).toHaveLength(1);
  });

  it.each([
    ['CONF-03 a confidence at the floor', 'at-the-floor'],
    ['CONF-07 CONF-17 no stated confidence', 'scripted'],
  ])('%s escalates nothing', async (_what, workflowId) => {
    const seen = await run(workflowId);
    expect(seen.snapshot.status).toBe('completed');
    expect(seen.types).not.toContain('core.workflowChain.confidence-escalated');
  });

  it('CONF-02 CONF-09 CAP-05 goes by the floor that the host advertises', async () => {
    const strict = await startTestHost({ builtinWorkflows: WORKFLOWS, confidenceFloor: 0.8 });
    const { multiAgent } = (await strict.get('/.well-known/openwop')).body;
    expect(multiAgent.executionModel.confidenceEscalationFloor).toBe(0.8);
    const seen = await observing(() => strict).run('at-the-floor');
    expect(seen.of('core.workflowChain.confidence-escalated')[0]?.payload).toMatchObject({
      confidence: 0.5,
      floor: 0.8,
    });
    await strict.stop();
  });
});
