import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { modelCalls } from '@baton/agents';
import { CONFORMANCE } from '@baton/engine/conformance';
import type { Json, RunEvent } from '@baton/protocol';
import { beforeEach, describe, expect, it } from 'vitest';
import { referenceFolder } from '../../packages/conformance/src/testkit/official-schemas.ts';
import {
  createMockProvider,
  type MockEntry,
  type MockProvider,
} from '../../packages/server/src/models/mock.ts';
import { type Bench, CALLER, handClock, settled, startTestEngine } from '../driver/test-engine.ts';

/** The protocol's fixture workflows, run as its clients expect, wherever the reference is at hand. */

interface Fixture {
  readonly id: string;
  readonly nodes: readonly { readonly id: string; readonly typeId: string }[];
}

const from = referenceFolder;
const all: readonly Fixture[] =
  from === undefined
    ? []
    : readdirSync(join(from, 'fixtures'))
        .filter((name) => name.startsWith('conformance-') && name.endsWith('.json'))
        .map((name) => JSON.parse(readFileSync(join(from, 'fixtures', name), 'utf8')) as Fixture);

/** Left out: node types of other areas, secrets, agent channels and agent packs. */
const runnable = all.filter(
  (fixture) =>
    fixture.nodes.every((node) => CONFORMANCE.nodes.ids.includes(node.typeId)) &&
    !/redaction-probe|"channel":"stable"|requiresAgentId|"promptId"|"mcp":/.test(JSON.stringify(fixture)),
);

interface Play {
  readonly host: Bench;
  readonly runId: string;
  answer(nodeId: string, resumeValue: Json, runId?: string): Promise<unknown>;
  pass(ms: number): Promise<void>;
  kinds(): Promise<readonly string[]>;
  snapshot(runId?: string): Promise<{
    readonly variables: Record<string, Json>;
    readonly inputs: Record<string, Json>;
  }>;
  children(): Promise<readonly string[]>;
}

type Expectation = readonly [
  start: {
    readonly inputs?: Record<string, Json>;
    readonly configurable?: Record<string, Json>;
    /** What the model of the fixture's call says. */
    readonly model?: readonly MockEntry[];
  },
  play: (play: Play) => unknown,
  status: string,
];

const variables = (expected: Record<string, Json>) => async (play: Play) =>
  expect((await play.snapshot()).variables).toMatchObject(expected);
const nothing = () => undefined;

const EXPECTED: Record<string, Expectation> = {
  'conformance-noop': [{}, nothing, 'completed'],
  'conformance-version-fold': [{}, nothing, 'completed'],
  'conformance-idempotent': [{ inputs: { nonce: 'n' } }, nothing, 'completed'],
  'conformance-configurable-schema': [{ configurable: { recursionLimit: 1 } }, nothing, 'completed'],
  'conformance-identity': [
    { inputs: { payload: { a: [1, { b: null }] } } },
    variables({ payload: { a: [1, { b: null }] } }),
    'completed',
  ],
  'conformance-failure': [
    {},
    async (play) => expect(await failure(play)).toBe('conformance_test_failure'),
    'failed',
  ],
  'conformance-capability-missing': [
    {},
    async (play) => expect(await failure(play)).toBe('capability_not_provided'),
    'failed',
  ],
  'conformance-multi-node': [
    {},
    async (play) => expect(await completedNodes(play)).toEqual(['a', 'b', 'c']),
    'completed',
  ],
  'conformance-delay': [{}, (play) => play.pass(1000), 'completed'],
  'conformance-cancellable': [{ inputs: { delaySeconds: 30 } }, (play) => play.pass(30_000), 'completed'],
  'conformance-cap-breach': [
    { configurable: { recursionLimit: 3 } },
    async (play) => expect(await failure(play)).toBe('recursion_limit_exceeded'),
    'failed',
  ],
  'conformance-run-duration-breach': [
    { configurable: { runTimeoutMs: 1000 } },
    async (play) => {
      await play.pass(1001);
      expect(await failure(play)).toBe('run_timeout');
    },
    'failed',
  ],
  'conformance-channel-ttl': [
    {},
    async (play) => {
      await play.pass(300);
      expect((await play.snapshot()).variables.events).toEqual([{ value: 'd', _ts: expect.any(Number) }]);
    },
    'completed',
  ],
  'conformance-message-reducer': [
    {},
    async (play) => expect((await play.snapshot()).variables.messages).toHaveLength(1),
    'completed',
  ],
  'conformance-agent-memory-roundtrip': [
    {},
    variables({
      memoryReadback: {
        id: expect.any(String),
        content: expect.any(String),
        tags: expect.any(Array),
        createdAt: expect.any(String),
      },
    }),
    'completed',
  ],
  'conformance-agent-memory-cross-tenant': [
    {},
    async (play) => {
      const { ownerProbe, ownerEntryId, crossTenantProbe } = (await play.snapshot()).variables;
      expect((ownerProbe as { id: string }[]).map(({ id }) => id)).toContain(ownerEntryId);
      expect(crossTenantProbe).toEqual([]);
    },
    'completed',
  ],
  'conformance-agent-memory-ttl': [
    {},
    async (play) => {
      const { memoryList, freshId, expiredId } = (await play.snapshot()).variables;
      const ids = (memoryList as { id: string }[]).map(({ id }) => id);
      expect(ids).toContain(freshId);
      expect(ids).not.toContain(expiredId);
    },
    'completed',
  ],
  'conformance-approval': [{}, (play) => play.answer('gate', { action: 'accept' }), 'completed'],
  'conformance-interrupt-auth-required': [
    {},
    (play) => play.answer('gate', { action: 'accept' }),
    'completed',
  ],
  'conformance-clarification': [{}, (play) => play.answer('ask', { answers: { q1: 'blue' } }), 'completed'],
  'conformance-interrupt-quorum': [
    {},
    async (play) => {
      for (const voter of ['approver-1', 'approver-2'])
        await play.answer('gate', { action: 'accept', voter });
      expect(await play.host.status(play.runId)).toBe('waiting-approval');
      await play.answer('gate', { action: 'accept', voter: 'approver-3' });
    },
    'completed',
  ],
  'conformance-interrupt-external-event': [
    {},
    async (play) => {
      expect(await play.answer('wait-for-external', { orderId: 'other', status: 'completed' })).toMatchObject(
        { ok: false },
      );
      expect(await play.host.status(play.runId)).toBe('waiting-external');
      await play.answer('wait-for-external', {
        orderId: 'fixture-order-1',
        status: 'completed',
        externalReference: 'x',
      });
    },
    'completed',
  ],
  'conformance-interrupt-parent-child-cancel': [
    {},
    async (play) => {
      expect(await play.host.status(play.runId)).toBe('waiting-approval');
      await play.host.execute({ kind: 'cancel-run', caller: CALLER, runId: play.runId });
      expect(await play.host.status(`${play.runId}.1`)).toBe('cancelled');
      expect(await play.answer('child-gate', { action: 'accept' }, `${play.runId}.1`)).toMatchObject({
        ok: false,
      });
    },
    'cancelled',
  ],
  'conformance-interrupt-parent-child-cancel-child': [
    {},
    (play) => play.answer('child-gate', { action: 'reject' }),
    'failed',
  ],
  'conformance-subworkflow-parent': [{}, variables({ childOutcome: 'child-completed' }), 'completed'],
  'conformance-subworkflow-child': [{}, nothing, 'completed'],
  'conformance-subworkflow-input-mapping': [
    {},
    async (play) => expect((await play.snapshot(`${play.runId}.1`)).variables.receivedPrdId).toBe('prd-1'),
    'completed',
  ],
  'conformance-subworkflow-input-mapping-no-default': [
    {},
    async (play) =>
      expect((await play.snapshot(`${play.runId}.1`)).variables).not.toHaveProperty('receivedPrdId', null),
    'completed',
  ],
  'conformance-subworkflow-input-mapping-child': [{}, nothing, 'completed'],
  'conformance-subworkflow-mid-run-mutation': [
    {},
    async (play) => {
      const { runId, host } = play;
      await host.execute({
        kind: 'set-variables',
        caller: CALLER,
        runId,
        variables: { currentPrdId: 'mutated-id' },
      });
      await play.answer('child-gate', { action: 'accept' }, `${runId}.1`);
      expect((await play.snapshot(`${runId}.1`)).variables.receivedPrdId).toBe('seeded-id');
    },
    'completed',
  ],
  'conformance-subworkflow-mid-run-mutation-child': [
    {},
    (play) => play.answer('child-gate', { action: 'accept' }),
    'completed',
  ],
  'conformance-dispatch-loop': [
    {},
    async (play) => expect(await play.kinds()).toEqual(['next-worker', 'terminate']),
    'completed',
  ],
  'conformance-orchestrator-dispatch': [
    {},
    async (play) => expect((await play.kinds())[0]).toBe('next-worker'),
    'completed',
  ],
  'conformance-orchestrator-terminate': [
    {},
    async (play) => expect(await play.kinds()).toEqual(['terminate']),
    'completed',
  ],
  'conformance-orchestrator-low-confidence': [
    {},
    async (play) => {
      expect(await play.kinds()).toEqual([]);
      expect(await suspension(play)).toMatchObject({
        reason: 'low-confidence',
        agentId: 'core.conformance.low-conf-supervisor',
      });
    },
    'waiting-approval',
  ],
  'conformance-multi-agent-handoff': [
    {},
    async (play) => {
      const chain = (await play.host.events(play.runId)).filter(
        (event) => event.type === 'core.workflowChain.event',
      );
      expect(chain.map((event) => event.payload.phase)).toEqual([
        'dispatch.began',
        'dispatch.succeeded',
        'child.completed',
        'output.harvested',
      ]);
      expect(chain.at(-1)?.payload.harvestedKeys).toEqual(['parentResult']);
      expect((await play.snapshot()).variables.parentResult).toBe('handoff-complete');
    },
    'completed',
  ],
  'conformance-multi-agent-handoff-child': [{}, nothing, 'completed'],
  'conformance-dispatch-input-mapping': [
    {},
    async (play) =>
      expect((await play.snapshot((await play.children())[0])).inputs.childGreeting).toBe('Alice'),
    'completed',
  ],
  'conformance-dispatch-input-mapping-no-default': [
    {},
    async (play) => expect((await play.snapshot((await play.children())[0])).inputs).toEqual({}),
    'completed',
  ],
  'conformance-dispatch-input-mapping-child': [{}, nothing, 'completed'],
  'conformance-dispatch-output-mapping': [{}, variables({ parentResult: 'done' }), 'completed'],
  'conformance-dispatch-output-mapping-child': [{}, nothing, 'completed'],
  'conformance-dispatch-cross-worker-handoff': [
    {},
    async (play) => {
      expect((await play.snapshot()).variables.sharedVar).toBe('hello');
      expect((await play.snapshot((await play.children())[1])).inputs.input).toBe('hello');
    },
    'completed',
  ],
  'conformance-dispatch-cross-worker-handoff-child-a': [{}, nothing, 'completed'],
  'conformance-dispatch-cross-worker-handoff-child-b': [{}, nothing, 'completed'],
  'conformance-dispatch-per-worker-override': [
    {},
    async (play) =>
      expect(
        await Promise.all((await play.children()).map(async (id) => (await play.snapshot(id)).inputs.input)),
      ).toEqual(['default-x-value', 'shared-value']),
    'completed',
  ],
  'conformance-dispatch-deterministic-fail-child': [{}, nothing, 'failed'],
  'conformance-dispatch-cancellable-child': [{}, (play) => play.pass(30_000), 'completed'],
  'conformance-agent-identity': [{}, nothing, 'completed'],
  'conformance-agent-reasoning': [
    {},
    async (play) => {
      const ids = (await play.host.events(play.runId)).flatMap((event) =>
        'agentId' in event.payload ? [event.payload.agentId] : [],
      );
      expect(ids.length).toBeGreaterThan(0);
    },
    'completed',
  ],
  'conformance-agent-reasoning-streaming': [
    {},
    async (play) => {
      const said = await play.host.events(play.runId);
      const deltas = said.filter((event) => event.type === 'agent.reasoning.delta');
      expect(deltas.map((event) => event.payload.sequence)).toEqual([0, 1, 2]);
      const whole = said.filter((event) => event.type === 'agent.reasoned');
      expect(whole.map((event) => event.payload.reasoning)).toEqual([
        deltas.map((event) => event.payload.delta).join(''),
      ]);
    },
    'completed',
  ],
  'conformance-agent-low-confidence': [
    {},
    async (play) =>
      expect(await suspension(play)).toMatchObject({
        reason: 'low-confidence',
        threshold: 0.7,
        observed: 0.5,
      }),
    'waiting-approval',
  ],
  'conformance-multi-agent-confidence-escalation': [
    {},
    async (play) => {
      const escalated = (await play.host.events(play.runId)).filter(
        (event) => event.type === 'core.workflowChain.confidence-escalated',
      );
      expect(escalated.map((event) => event.payload.confidence)).toEqual([0.3]);
      expect(await play.children()).toEqual([]);
    },
    'waiting-approval',
  ],
  'conformance-phase4-nondet-tool': [{}, nothing, 'completed'],
  'conformance-phase4-replay-divergence': [
    { model: [{ content: '{"valid":true}', stopReason: 'end_turn' }] },
    async (play) =>
      expect(await of(play, 'node.completed')).toMatchObject([{ outputs: { data: { valid: true } } }]),
    'completed',
  ],
  'conformance-envelope-retry-attempted': [
    { model: [{ content: 'no JSON at all' }, { content: '{"valid":true}' }] },
    async (play) =>
      expect(await of(play, 'envelope.retry.attempted')).toMatchObject([
        { attempt: 2, reason: 'parse-error' },
      ]),
    'completed',
  ],
  'conformance-envelope-retry-exhausted': [
    { model: [{ content: 'x' }, { content: 'y' }, { content: 'z' }, { content: 'w' }] },
    async (play) => {
      expect(await of(play, 'envelope.retry.exhausted')).toMatchObject([{ totalAttempts: 3 }]);
      expect(await failure(play)).toBe('envelope_invalid');
    },
    'failed',
  ],
  'conformance-envelope-refusal': [
    { model: [{ stopReason: 'safety', refusalText: 'I cannot help with that.' }] },
    async (play) => {
      expect(await of(play, 'envelope.refusal')).toMatchObject([{ refusalText: 'I cannot help with that.' }]);
      expect(await of(play, 'provider.usage')).toHaveLength(1);
      expect(await failure(play)).toBe('envelope_refusal');
      expect(JSON.stringify(await of(play, 'run.failed'))).not.toContain('cannot help');
    },
    'failed',
  ],
  'conformance-envelope-truncated': [
    { model: [{ content: '{"valid":', stopReason: 'max_tokens' }, { content: '{"valid":true}' }] },
    async (play) => {
      expect(await of(play, 'envelope.truncated')).toMatchObject([{ stopReason: 'max_tokens' }]);
      expect(await of(play, 'envelope.retry.attempted')).toMatchObject([
        { attempt: 2, reason: 'truncation' },
      ]);
    },
    'completed',
  ],
  'conformance-envelope-truncation-cap-exhaustion': [
    { model: [{ content: '{"partial', stopReason: 'max_tokens' }] },
    async (play) => {
      expect(await of(play, 'envelope.truncated')).toHaveLength(3);
      expect(await of(play, 'envelope.retry.exhausted')).toMatchObject([{ finalReason: 'truncation' }]);
      expect(await of(play, 'cap.breached')).toMatchObject([{ kind: 'schema' }]);
      expect(await failure(play)).toBe('envelope_truncation_unrecoverable');
    },
    'failed',
  ],
  'conformance-envelope-recovery-applied': [
    { model: [{ content: '```json\n{"result":"ok"}\n```' }] },
    async (play) => {
      expect(await of(play, 'envelope.recovery.applied')).toMatchObject([{ path: 'markdown-fence' }]);
      expect(await of(play, 'envelope.retry.attempted')).toEqual([]);
    },
    'completed',
  ],
  'conformance-envelope-nl-to-format-engaged': [
    {
      model: [
        { content: 'It is OK.' },
        { content: 'Okay.' },
        { content: 'Ok-ish.' },
        { content: '{"result":"ok"}' },
      ],
    },
    async (play) => {
      expect(await of(play, 'envelope.nlToFormat.engaged')).toMatchObject([
        { originalEnvelopeType: 'TestEnvelope', fallbackCalls: 1 },
      ]);
      expect(await of(play, 'node.completed')).toMatchObject([{ outputs: { data: { result: 'ok' } } }]);
    },
    'completed',
  ],
  'conformance-agent-pack-install': [{}, nothing, 'completed'],
  'conformance-agent-pack-export': [{}, nothing, 'completed'],
  'conformance-agent-pack-provenance': [{}, nothing, 'completed'],
};

async function failure({ host, runId }: Play): Promise<string | undefined> {
  const last = (await host.events(runId)).at(-1);
  return last?.type === 'run.failed' ? last.payload.error.code : undefined;
}

async function of(play: Play, type: RunEvent['type']) {
  return (await play.host.events(play.runId)).flatMap((event) =>
    event.type === type ? [event.payload] : [],
  );
}

async function suspension({ host, runId }: Play) {
  return (await host.events(runId)).find((event) => event.type === 'node.suspended')?.payload;
}

async function completedNodes({ host, runId }: Play) {
  return (await host.events(runId)).flatMap((event) =>
    event.type === 'node.completed' ? [event.nodeId] : [],
  );
}

describe('fixtures of the protocol', () => {
  let time: ReturnType<typeof handClock>;
  let host: Bench;
  let mock: MockProvider;
  beforeEach(async () => {
    time = handClock();
    mock = createMockProvider();
    host = await startTestEngine({ clock: time.clock, perform: modelCalls({ provider: () => mock }) });
    await host.register(...runnable);
  });

  it('are all expected to do something, when they are at hand', ({ task }) => {
    if (from === undefined) task.meta.leftOut = Object.keys(EXPECTED).length;
    expect(runnable.map((fixture) => fixture.id).filter((id) => !(id in EXPECTED))).toEqual([]);
  });

  for (const { id } of runnable) {
    it(`${id} runs as its clients expect`, async () => {
      const [{ model, ...start }, act, status] = EXPECTED[id]!;
      if (model) mock.program(CALLER.tenant, 'structured-call', model);
      const reply = await host.execute({
        kind: 'create-run',
        caller: CALLER,
        body: { workflowId: id, ...start },
      });
      const runId = reply.ok && reply.value.kind === 'run' ? reply.value.runId : '';
      await settled();
      const play: Play = {
        host,
        runId,
        async answer(nodeId, resumeValue, at = runId) {
          const answered = await host.execute({
            kind: 'resolve-interrupt',
            caller: CALLER,
            runId: at,
            target: { nodeId },
            resumeValue,
            viaToken: false,
            scopes: [],
          });
          await settled();
          return answered;
        },
        pass: (ms) => time.move(ms),
        kinds: async () =>
          (await host.events(runId)).flatMap((event) =>
            event.type === 'runOrchestrator.decided' ? [event.payload.decision.kind] : [],
          ),
        snapshot: async (at = runId) => stateOf(await host.events(at)),
        children: async () =>
          (await host.events(runId)).flatMap((event) =>
            event.type === 'node.dispatched' ? [event.payload.childRunId] : [],
          ),
      };
      await act(play);
      expect(await host.status(runId)).toBe(status);
    });
  }
});

/** Variables and inputs by a fold of the test's own, so that it does not lean on the kernel's. */
function stateOf(events: readonly RunEvent[]) {
  const found = { variables: {} as Record<string, Json>, inputs: {} as Record<string, Json> };
  for (const event of events) {
    if (event.type === 'run.started')
      Object.assign(
        found,
        structuredClone({ variables: event.payload.variables, inputs: event.payload.inputs }),
      );
    if (event.type === 'variable.changed') found.variables[event.payload.name] = event.payload.next ?? null;
    if (event.type === 'baton.channel.trimmed') {
      const entries = found.variables[event.payload.channel] as Json[];
      found.variables[event.payload.channel] =
        event.payload.keep === 0 ? [] : entries.slice(-event.payload.keep);
    }
    if (event.type === 'channel.written') {
      const { channel, value, reducer } = event.payload;
      const entry = reducer === 'append' ? { value, _ts: Date.parse(event.timestamp) } : value;
      found.variables[channel] = [...((found.variables[channel] as Json[]) ?? []), entry];
    }
  }
  return found;
}
