import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedHost, type TestHost } from '../http/host.ts';
import { boss, declare, END, line, node, to, worker } from '../http/wire/definitions.ts';
import { type Observed, observing } from '../http/wire/observing.ts';
import { verifies } from '../verifies.ts';

/** The scenarios of the protocol about handoffs and about decisions of low confidence, from end to end. */

const OUT = { outputMapping: { answer: 'result' } };
const WORKFLOWS = [
  worker('good', { result: 'done' }),
  line('bad', [node('break', 'core.fail')], { variables: declare({ result: 'never' }) }),
  line('waits', [node('gate', 'core.approvalGate', { title: 'Go on?' })], {
    variables: declare({ result: 'never' }),
  }),
  boss('plain', [to('good'), END], OUT),
  boss('mixed', [to('good', 'bad', 'nobody', 'waits'), to('good'), END], OUT),
  boss('unsure', [{ ...to('good'), confidence: 0.49 }, END], OUT),
  boss('unsure-end', [{ ...END, confidence: 0 }]),
  boss('sure-enough', [{ ...to('good'), confidence: 0.5 }, END], OUT),
];

let host: TestHost;
const { run, after, cancel, settle } = observing(() => host);
beforeAll(async () => {
  host = await sharedHost({ workflows: WORKFLOWS });
});
afterAll(() => host.stop());

/** From a chain event back to the decision: the types and phases on the way. */
function walkBack(seen: Observed, from: string): readonly string[] {
  const way: string[] = [];
  for (let id: string | undefined = from; id !== undefined; ) {
    const event = seen.events.find(({ eventId }) => eventId === id);
    if (event === undefined) break;
    way.push(event.payload.phase ?? event.type);
    id = event.type === 'runOrchestrator.decided' ? undefined : event.causationId;
  }
  return way;
}

describe('scenarios of handoffs', () => {
  it('handoff state machine: the plain way is four events, each caused by the one before', async () => {
    verifies('SCEN-05');
    const plain = await run('plain');
    expect(plain.phases()).toEqual([
      'dispatch.began',
      'dispatch.succeeded',
      'child.completed',
      'output.harvested',
    ]);
    expect(walkBack(plain, plain.chain().at(-1)!.eventId)).toEqual([
      'output.harvested',
      'child.completed',
      'dispatch.succeeded',
      'dispatch.began',
      'runOrchestrator.decided',
    ]);
    expect(plain.chain().at(-1)!.payload.harvestedKeys).toEqual(['answer']);
  });

  it('handoff state machine: every worker of a decision has a chain of its own, however it ends', async () => {
    verifies('SCEN-05');
    const { runId } = await run('mixed');
    await cancel(`${runId}.3`);
    const seen = await settle(runId);
    expect(seen.snapshot).toMatchObject({ status: 'completed', variables: { answer: 'done' } });
    const decisions = seen.of('runOrchestrator.decided').map(({ eventId }) => eventId);
    const first = seen.chain().filter(({ payload }) => payload.phase === 'dispatch.began');
    expect(first.map(({ causationId }) => decisions.indexOf(causationId ?? ''))).toEqual([0, 0, 0, 0, 1]);
    expect(seen.phases('bad')).toEqual(['dispatch.began', 'dispatch.succeeded', 'child.failed']);
    expect(seen.phases('nobody')).toEqual(['dispatch.began', 'dispatch.failed']);
    expect(seen.phases('waits')).toEqual(['dispatch.began', 'dispatch.succeeded', 'child.cancelled']);
    for (const { eventId } of seen.chain()) {
      expect(walkBack(seen, eventId).at(-1)).toBe('runOrchestrator.decided');
    }
  });
});

describe('scenarios of confidence', () => {
  const ESCALATED = 'core.workflowChain.confidence-escalated';

  it.each(['unsure', 'unsure-end'])('confidence floor: %s is recorded and asked about first', async (id) => {
    verifies('SCEN-06');
    const { multiAgent } = (await host.get('/.well-known/openwop')).body;
    const seen = await run(id);
    const order = ['runOrchestrator.decided', ESCALATED, 'interrupt.requested'];
    expect(seen.types.filter((type) => order.includes(type))).toEqual(order);
    const [escalated] = seen.of(ESCALATED);
    expect(escalated?.causationId).toBe(seen.of('runOrchestrator.decided')[0]?.eventId);
    expect(escalated?.payload).toMatchObject({
      floor: multiAgent.executionModel.confidenceEscalationFloor ?? 0.5,
      escalationKind: 'escalate',
      parentRunId: seen.runId,
    });
    expect('workerId' in escalated!.payload).toBe(id === 'unsure');
    const kind = multiAgent.executionModel.confidenceEscalationInterruptKind;
    expect(seen.snapshot).toMatchObject({ status: 'waiting-approval', interrupt: { kind } });
    expect([seen.chain(), seen.snapshot.childRuns, seen.of('run.completed')]).toEqual([[], undefined, []]);

    const done = await after(seen.runId, 'lead', { action: 'accept' });
    expect(done.snapshot.status).toBe('completed');
    expect(done.of(ESCALATED)).toHaveLength(1);
    expect(done.phases()).toHaveLength(id === 'unsure' ? 4 : 0);
  });

  it('confidence floor: a decision at the floor is carried out', async () => {
    verifies('SCEN-06');
    const seen = await run('sure-enough');
    expect([seen.snapshot.status, seen.of(ESCALATED)]).toEqual(['completed', []]);
    expect(seen.phases()).toHaveLength(4);
  });
});
