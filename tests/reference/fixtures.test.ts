import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { modelCalls } from '@baton/agents';
import { CONFORMANCE, setVariables } from '@baton/conformance/engine';
import type { Json, RunEvent } from '@baton/protocol';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  createMockModel,
  type MockEntry,
  type MockModel,
} from '../../packages/conformance/src/seams/mock-model.ts';
import { referenceFolder } from '../../packages/conformance/src/testkit/official-schemas.ts';
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

interface Start {
  readonly inputs?: Record<string, Json>;
  readonly configurable?: Record<string, Json>;
  /** What the model of the fixture's call says. */
  readonly model?: readonly MockEntry[];
}

type Act = (play: Play) => unknown;

interface Expectation {
  readonly status: string;
  readonly start: Start;
  readonly act: Act;
}

function ends(status: string, ...given: readonly (Start | Act)[]): Expectation {
  const act = given.find((one) => typeof one === 'function') ?? (() => undefined);
  const start = given.find((one) => typeof one !== 'function') ?? {};
  return { status, start, act };
}
const completes = (...given: readonly (Start | Act)[]) => ends('completed', ...given);
const fails = (code: string, start: Start = {}) =>
  ends('failed', start, async (play) => expect(await failure(play)).toBe(code));

const variables = (expected: Record<string, Json>) => async (play: Play) =>
  expect((await play.snapshot()).variables).toMatchObject(expected);

/** These complete by themselves. */
const COMPLETE = `
  noop version-fold subworkflow-child subworkflow-input-mapping-child multi-agent-handoff-child
  dispatch-input-mapping-child dispatch-output-mapping-child dispatch-cross-worker-handoff-child-a
  dispatch-cross-worker-handoff-child-b agent-identity phase4-nondet-tool agent-pack-install
  agent-pack-export agent-pack-provenance
`
  .trim()
  .split(/\s+/)
  .map((name) => [`conformance-${name}`, completes()] as const);

const EXPECTED: Readonly<Record<string, Expectation>> = {
  ...Object.fromEntries(COMPLETE),
  'conformance-idempotent': completes({ inputs: { nonce: 'n' } }),
  'conformance-configurable-schema': completes({ configurable: { recursionLimit: 1 } }),
  'conformance-identity': completes(
    { inputs: { payload: { a: [1, { b: null }] } } },
    variables({ payload: { a: [1, { b: null }] } }),
  ),
  'conformance-failure': fails('conformance_test_failure'),
  'conformance-capability-missing': fails('capability_not_provided'),
  'conformance-multi-node': completes(async (play) =>
    expect(await completedNodes(play)).toEqual(['a', 'b', 'c']),
  ),
  'conformance-delay': completes((play) => play.pass(1000)),
  'conformance-cancellable': completes({ inputs: { delaySeconds: 30 } }, (play) => play.pass(30_000)),
  'conformance-cap-breach': fails('recursion_limit_exceeded', { configurable: { recursionLimit: 3 } }),
  'conformance-run-duration-breach': ends(
    'failed',
    { configurable: { runTimeoutMs: 1000 } },
    async (play) => {
      await play.pass(1001);
      expect(await failure(play)).toBe('run_timeout');
    },
  ),
  'conformance-channel-ttl': completes(async (play) => {
    await play.pass(300);
    expect((await play.snapshot()).variables.events).toEqual([{ value: 'd', _ts: expect.any(Number) }]);
  }),
  'conformance-message-reducer': completes(async (play) =>
    expect((await play.snapshot()).variables.messages).toHaveLength(1),
  ),
  'conformance-agent-memory-roundtrip': completes(
    variables({
      memoryReadback: {
        id: expect.any(String),
        content: expect.any(String),
        tags: expect.any(Array),
        createdAt: expect.any(String),
      },
    }),
  ),
  'conformance-agent-memory-cross-tenant': completes(async (play) => {
    const { ownerProbe, ownerEntryId, crossTenantProbe } = (await play.snapshot()).variables;
    expect((ownerProbe as { id: string }[]).map(({ id }) => id)).toContain(ownerEntryId);
    expect(crossTenantProbe).toEqual([]);
  }),
  'conformance-agent-memory-ttl': completes(async (play) => {
    const { memoryList, freshId, expiredId } = (await play.snapshot()).variables;
    const ids = (memoryList as { id: string }[]).map(({ id }) => id);
    expect(ids).toContain(freshId);
    expect(ids).not.toContain(expiredId);
  }),
  'conformance-approval': completes((play) => play.answer('gate', { action: 'accept' })),
  'conformance-interrupt-auth-required': completes((play) => play.answer('gate', { action: 'accept' })),
  'conformance-clarification': completes((play) => play.answer('ask', { answers: { q1: 'blue' } })),
  'conformance-interrupt-quorum': completes(async (play) => {
    for (const voter of ['approver-1', 'approver-2']) await play.answer('gate', { action: 'accept', voter });
    expect(await play.host.status(play.runId)).toBe('waiting-approval');
    await play.answer('gate', { action: 'accept', voter: 'approver-3' });
  }),
  'conformance-interrupt-external-event': completes(async (play) => {
    expect(await play.answer('wait-for-external', { orderId: 'other', status: 'completed' })).toMatchObject({
      ok: false,
    });
    expect(await play.host.status(play.runId)).toBe('waiting-external');
    await play.answer('wait-for-external', {
      orderId: 'fixture-order-1',
      status: 'completed',
      externalReference: 'x',
    });
  }),
  'conformance-interrupt-parent-child-cancel': ends('cancelled', async (play) => {
    expect(await play.host.status(play.runId)).toBe('waiting-approval');
    await play.host.execute({ kind: 'cancel-run', caller: CALLER, runId: play.runId });
    expect(await play.host.status(`${play.runId}.1`)).toBe('cancelled');
    expect(await play.answer('child-gate', { action: 'accept' }, `${play.runId}.1`)).toMatchObject({
      ok: false,
    });
  }),
  'conformance-interrupt-parent-child-cancel-child': ends('failed', (play) =>
    play.answer('child-gate', { action: 'reject' }),
  ),
  'conformance-subworkflow-parent': completes(variables({ childOutcome: 'child-completed' })),
  'conformance-subworkflow-input-mapping': completes(async (play) =>
    expect((await play.snapshot(`${play.runId}.1`)).variables.receivedPrdId).toBe('prd-1'),
  ),
  'conformance-subworkflow-input-mapping-no-default': completes(async (play) =>
    expect((await play.snapshot(`${play.runId}.1`)).variables).not.toHaveProperty('receivedPrdId', null),
  ),
  'conformance-subworkflow-mid-run-mutation': completes(async (play) => {
    const { runId, host } = play;
    await host.execute(setVariables(CALLER, runId, { currentPrdId: 'mutated-id' }));
    await play.answer('child-gate', { action: 'accept' }, `${runId}.1`);
    expect((await play.snapshot(`${runId}.1`)).variables.receivedPrdId).toBe('seeded-id');
  }),
  'conformance-subworkflow-mid-run-mutation-child': completes((play) =>
    play.answer('child-gate', { action: 'accept' }),
  ),
  'conformance-dispatch-loop': completes(async (play) =>
    expect(await play.kinds()).toEqual(['next-worker', 'terminate']),
  ),
  'conformance-orchestrator-dispatch': completes(async (play) =>
    expect((await play.kinds())[0]).toBe('next-worker'),
  ),
  'conformance-orchestrator-terminate': completes(async (play) =>
    expect(await play.kinds()).toEqual(['terminate']),
  ),
  'conformance-orchestrator-low-confidence': ends('waiting-approval', async (play) => {
    expect(await play.kinds()).toEqual([]);
    expect(await suspension(play)).toMatchObject({
      reason: 'low-confidence',
      agentId: 'core.conformance.low-conf-supervisor',
    });
  }),
  'conformance-multi-agent-handoff': completes(async (play) => {
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
  }),
  'conformance-dispatch-input-mapping': completes(async (play) =>
    expect((await play.snapshot((await play.children())[0])).inputs.childGreeting).toBe('Alice'),
  ),
  'conformance-dispatch-input-mapping-no-default': completes(async (play) =>
    expect((await play.snapshot((await play.children())[0])).inputs).toEqual({}),
  ),
  'conformance-dispatch-output-mapping': completes(variables({ parentResult: 'done' })),
  'conformance-dispatch-cross-worker-handoff': completes(async (play) => {
    expect((await play.snapshot()).variables.sharedVar).toBe('hello');
    expect((await play.snapshot((await play.children())[1])).inputs.input).toBe('hello');
  }),
  'conformance-dispatch-per-worker-override': completes(async (play) =>
    expect(
      await Promise.all((await play.children()).map(async (id) => (await play.snapshot(id)).inputs.input)),
    ).toEqual(['default-x-value', 'shared-value']),
  ),
  'conformance-dispatch-deterministic-fail-child': ends('failed'),
  'conformance-dispatch-cancellable-child': completes((play) => play.pass(30_000)),
  'conformance-agent-reasoning': completes(async (play) => {
    const ids = (await play.host.events(play.runId)).flatMap((event) =>
      'agentId' in event.payload ? [event.payload.agentId] : [],
    );
    expect(ids.length).toBeGreaterThan(0);
  }),
  'conformance-agent-reasoning-streaming': completes(async (play) => {
    const said = await play.host.events(play.runId);
    const deltas = said.filter((event) => event.type === 'agent.reasoning.delta');
    expect(deltas.map((event) => event.payload.sequence)).toEqual([0, 1, 2]);
    const whole = said.filter((event) => event.type === 'agent.reasoned');
    expect(whole.map((event) => event.payload.reasoning)).toEqual([
      deltas.map((event) => event.payload.delta).join(''),
    ]);
  }),
  'conformance-agent-low-confidence': ends('waiting-approval', async (play) =>
    expect(await suspension(play)).toMatchObject({
      reason: 'low-confidence',
      threshold: 0.7,
      observed: 0.5,
    }),
  ),
  'conformance-multi-agent-confidence-escalation': ends('waiting-approval', async (play) => {
    const escalated = (await play.host.events(play.runId)).filter(
      (event) => event.type === 'core.workflowChain.confidence-escalated',
    );
    expect(escalated.map((event) => event.payload.confidence)).toEqual([0.3]);
    expect(await play.children()).toEqual([]);
  }),
  'conformance-phase4-replay-divergence': completes(
    { model: [{ content: '{"valid":true}', stopReason: 'end_turn' }] },
    async (play) =>
      expect(await of(play, 'node.completed')).toMatchObject([{ outputs: { data: { valid: true } } }]),
  ),
  'conformance-envelope-retry-attempted': completes(
    { model: [{ content: 'no JSON at all' }, { content: '{"valid":true}' }] },
    async (play) =>
      expect(await of(play, 'envelope.retry.attempted')).toMatchObject([
        { attempt: 2, reason: 'parse-error' },
      ]),
  ),
  'conformance-envelope-retry-exhausted': ends(
    'failed',
    { model: [{ content: 'x' }, { content: 'y' }, { content: 'z' }, { content: 'w' }] },
    async (play) => {
      expect(await of(play, 'envelope.retry.exhausted')).toMatchObject([{ totalAttempts: 3 }]);
      expect(await failure(play)).toBe('envelope_invalid');
    },
  ),
  'conformance-envelope-refusal': ends(
    'failed',
    { model: [{ stopReason: 'safety', refusalText: 'I cannot help with that.' }] },
    async (play) => {
      expect(await of(play, 'envelope.refusal')).toMatchObject([{ refusalText: 'I cannot help with that.' }]);
      expect(await of(play, 'provider.usage')).toHaveLength(1);
      expect(await failure(play)).toBe('envelope_refusal');
      expect(JSON.stringify(await of(play, 'run.failed'))).not.toContain('cannot help');
    },
  ),
  'conformance-envelope-truncated': completes(
    { model: [{ content: '{"valid":', stopReason: 'max_tokens' }, { content: '{"valid":true}' }] },
    async (play) => {
      expect(await of(play, 'envelope.truncated')).toMatchObject([{ stopReason: 'max_tokens' }]);
      expect(await of(play, 'envelope.retry.attempted')).toMatchObject([
        { attempt: 2, reason: 'truncation' },
      ]);
    },
  ),
  'conformance-envelope-truncation-cap-exhaustion': ends(
    'failed',
    { model: [{ content: '{"partial', stopReason: 'max_tokens' }] },
    async (play) => {
      expect(await of(play, 'envelope.truncated')).toHaveLength(3);
      expect(await of(play, 'envelope.retry.exhausted')).toMatchObject([{ finalReason: 'truncation' }]);
      expect(await of(play, 'cap.breached')).toMatchObject([{ kind: 'schema' }]);
      expect(await failure(play)).toBe('envelope_truncation_unrecoverable');
    },
  ),
  'conformance-envelope-recovery-applied': completes(
    { model: [{ content: '```json\n{"result":"ok"}\n```' }] },
    async (play) => {
      expect(await of(play, 'envelope.recovery.applied')).toMatchObject([{ path: 'markdown-fence' }]);
      expect(await of(play, 'envelope.retry.attempted')).toEqual([]);
    },
  ),
  'conformance-envelope-nl-to-format-engaged': completes(
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
  ),
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
  let mock: MockModel;
  beforeEach(async () => {
    time = handClock();
    mock = createMockModel();
    host = await startTestEngine({ clock: time.clock, perform: modelCalls({ provider: () => mock }) });
    await host.register(...runnable);
  });

  it('are all expected to do something, when they are at hand', ({ task }) => {
    if (from === undefined) task.meta.leftOut = Object.keys(EXPECTED).length;
    expect(runnable.map((fixture) => fixture.id).filter((id) => !(id in EXPECTED))).toEqual([]);
  });

  for (const { id } of runnable) {
    it(`${id} runs as its clients expect`, async () => {
      const {
        start: { model, ...start },
        act,
        status,
      } = EXPECTED[id]!;
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
