import { AGENT_CHECKS, type AgentCheck } from '@baton/protocol';
import { describe, expect, it } from 'vitest';
import { edge, node, workflow } from '../../packages/conformance/src/testkit/workflows.ts';
import { answer, fork, replay, start } from '../driver/forking.ts';
import { settled } from '../driver/test-engine.ts';
import {
  agent,
  agentBench,
  agentTypes,
  calls,
  invoke,
  payloads,
  register,
  said,
  tool,
  valid,
} from './bench.ts';

/** The two checks that an operator can switch off: the form of a result, and a person below a confidence. */

const returnSchema = { type: 'object', required: ['text'] };
const READ = tool('baton:read');
const making = (...agentChecks: readonly AgentCheck[]) => ({ limits: { agentChecks } });

describe('without structured output', () => {
  it('CAP-11 LIVE-16 an agent answers in text, and no form is asked for or checked', async () => {
    const models = [said('', calls(READ.name)), said('In my own words.')];
    const { host, requests } = await agentBench({ tools: [READ], models }, making('confidence-escalation'));
    await register(host, agent({ toolAllowlist: ['baton:*'], returnSchema }));
    const runId = await invoke(host);
    expect(await host.status(runId)).toBe('completed');
    expect(requests.map(({ responseFormat }) => responseFormat)).toEqual([undefined, undefined]);
    expect(await payloads(host, runId, 'variable.changed')).toMatchObject([
      { name: 'result', next: 'In my own words.' },
    ]);
    const [completed] = await payloads(host, runId, 'agent.invocation.completed');
    expect(completed?.outcome).toBe('completed');
    expect(completed).not.toHaveProperty('schemaValidated');
  });

  it('supervisors and critics still decide in the form that the host acts on', async () => {
    const [lead, worker, critic] = ['lead', 'worker', 'critic'].map((name) =>
      agent({ agentId: `local.desk.${name}`, returnSchema }),
    ) as [ReturnType<typeof agent>, ReturnType<typeof agent>, ReturnType<typeof agent>];
    const supervisor = node(
      'lead',
      'core.orchestrator.supervisor',
      { workers: [{ id: worker.agentId }] },
      { agent: { agentId: lead.agentId } },
    );
    const dispatch = node(
      'hand',
      'core.dispatch',
      { outputMapping: { report: 'result' } },
      { settings: { verifier: { workflowId: critic.agentId } } },
    );
    const team = workflow('team', [supervisor, dispatch], {
      edges: [edge('lead', 'hand'), edge('hand', 'lead')],
      variables: [{ name: 'report', type: 'string' }],
    });
    const models = [
      valid({ kind: 'next-worker', nextWorkerIds: [worker.agentId], confidence: 0.9 }),
      said('A report.'),
      valid({ verdict: 'pass', confidence: 0.9 }),
      valid({ kind: 'terminate', reason: 'Done.', confidence: 0.9 }),
    ];
    const { host, requests } = await agentBench({ agents: [lead], models }, making());
    await register(host, lead, worker, critic);
    await host.register(team);
    const runId = await start(host, 'team');
    expect(await host.status(runId)).toBe('completed');
    const forms = requests.map(({ responseFormat: form }) => form?.type === 'json' && form.schema?.title);
    expect(forms).toEqual(['decision', false, 'verdict', 'decision']);
  });
});

describe('without confidence escalation', () => {
  const unsure = valid({ text: 'Maybe.', confidence: 0.1 });

  it('CAP-11 LIVE-18 an unsure result is used, its confidence is told, and nobody is asked', async () => {
    const { host } = await agentBench({ models: [unsure] }, making('structured-output'));
    await register(host, agent({ returnSchema, confidence: { defaultThreshold: 0.9 } }));
    const runId = await invoke(host, { task: 'x' }, { configurable: { escalationThreshold: 0.9 } });
    expect(await host.status(runId)).toBe('completed');
    const types = await host.types(runId);
    expect(types).not.toContain('core.workflowChain.confidence-escalated');
    expect(types).not.toContain('interrupt.requested');
    expect(await payloads(host, runId, 'agent.invocation.completed')).toMatchObject([
      { outcome: 'completed', schemaValidated: true, confidence: 0.1 },
    ]);
  });
});

describe('a run keeps the checks that its host made when it began', () => {
  const never = () => new Promise<never>(() => undefined);
  const unsure = valid({ text: 'Maybe.', confidence: 0.1 });
  const plain = said('{"text": "Maybe.", "confidence": 0.1}');

  it.each<[string, readonly AgentCheck[], readonly AgentCheck[], string]>([
    ['none, then all', [], AGENT_CHECKS, 'completed'],
    ['all, then none', AGENT_CHECKS, [], 'waiting-approval'],
  ])(
    'LIVE-33 over a crash and a change of settings, in replays and in branches: %s',
    async (_, then, now, status) => {
      const asking = await agentBench({ models: [] }, making(...then));
      const lost = await asking.host.crash({
        ...making(...then),
        perform: (effect, context) =>
          effect.kind === 'model.call' ? never() : asking.perform(effect, context),
      });
      await register(lost, agent({ returnSchema }));
      const runId = await invoke(lost);
      const second = await agentBench({
        models: (request) => (request.responseFormat === undefined ? plain : unsure),
      });
      const after = await lost.crash({ ...making(...now), perform: second.perform });
      await settled();
      expect(await after.status(runId)).toBe(status);
      const [begun] = await payloads(after, runId, 'run.started');
      expect(begun?.agentChecks).toEqual(then.length === 0 ? [] : undefined);
      const replayed = await replay(after, runId);
      expect(await after.types(replayed)).toEqual(await after.types(runId));
      const branch = await fork(after, runId, { mode: 'branch', fromSeq: 0 });
      await settled();
      expect(await after.status(branch)).toBe(status);
      const fresh = await invoke(after);
      expect(await after.status(fresh)).toBe(status === 'completed' ? 'waiting-approval' : 'completed');
    },
  );

  it('and gives them to its children', async () => {
    const handoff = tool('handoff:local.desk.expert', { name: 'handoff_to_expert' });
    const models = [said('', calls('handoff_to_expert', { task: 'x' })), plain];
    const first = await agentBench({ tools: [handoff], models: [] }, making());
    const lost = await first.host.crash({
      ...making(),
      perform: (effect, context) => (effect.kind === 'model.call' ? never() : first.perform(effect, context)),
    });
    const expert = agent({ agentId: 'local.desk.expert', returnSchema });
    await register(lost, agent({ handoffs: [{ agentId: expert.agentId }] }), expert);
    const runId = await invoke(lost);
    // The child begins on a host that makes all checks.
    const second = await agentBench({ tools: [handoff], models });
    const after = await lost.crash({ ...making(...AGENT_CHECKS), perform: second.perform });
    await settled();
    expect(await payloads(after, `${runId}.1`, 'run.started')).toMatchObject([{ agentChecks: [] }]);
    expect(second.requests[1]?.responseFormat).toBeUndefined();
    expect(await after.status(runId)).toBe('completed');
  });
});

it('a person is still asked where the workflow or the tool asks for one', async () => {
  const guarded = tool('http:refund', { approval: 'always', transport: 'http' });
  const models = [said('', calls(guarded.name)), said('Done.')];
  const { host, toolCalls } = await agentBench({ tools: [guarded], models }, making());
  await register(host, agent({ toolAllowlist: ['http:refund'] }));
  const runId = await invoke(host);
  expect(await host.status(runId)).toBe('waiting-approval');
  expect(toolCalls).toEqual([]);
  await answer(host, runId, 'agent');
  await settled();
  expect(toolCalls).toHaveLength(1);
  expect((await agentTypes(host, runId)).at(-1)).toBe('agent.invocation.completed');
});
