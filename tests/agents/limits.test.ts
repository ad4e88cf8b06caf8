import type { Budget, JsonObject } from '@baton/protocol';
import { describe, expect, it } from 'vitest';
import { answer, fork } from '../driver/forking.ts';
import { CALLER, handClock, settled } from '../driver/test-engine.ts';
import { verifies } from '../verifies.ts';
import { agent, agentBench, calls, invoke, payloads, register, said, tool, valid } from './bench.ts';

/** What an agent may use, whom it may hand its work to, and when a person decides. */

const SEARCH = tool('baton:search');
const SHELL = tool('baton-shell');
const configurable = (given: object) => ({ configurable: given as unknown as JsonObject });
const budgeted = (budget: Budget) => configurable({ budget });

describe('the engine does not trust the list of tools from the host', () => {
  it.each<[string, readonly string[] | undefined]>([
    ['no list of allowed tools', undefined],
    ['a bare star', ['*']],
    ['a prefix of another tool', ['baton:*']],
  ])('LIVE-07 LIVE-33 with %s', async (_, toolAllowlist) => {
    const handoff = tool('handoff:local.desk.expert', { name: 'handoff_to_expert' });
    const remember = tool('baton:remember', { name: 'remember' });
    const { host, toolCalls, requests } = await agentBench({
      tools: [SHELL, handoff, remember],
      models: [
        said(
          '',
          calls(SHELL.name),
          calls('handoff_to_expert', { task: 'x' }),
          calls('remember', { text: 'x' }),
        ),
        said('Done.'),
      ],
    });
    await register(
      host,
      agent(toolAllowlist && { toolAllowlist: [...toolAllowlist] }),
      agent({ agentId: 'local.desk.expert' }),
    );
    const runId = await invoke(host);
    expect(await host.status(runId)).toBe('completed');
    expect(toolCalls).toEqual([]);
    expect(requests).toHaveLength(2);
    expect(requests[0]?.tools).toBeUndefined();
    expect(await host.types(runId)).not.toContain('agent.toolCalled');
    expect(await payloads(host, runId, 'agent.invocation.started')).toMatchObject([{ toolSurfaceCount: 0 }]);
  });
});

describe('the arguments of a tool', () => {
  it('are an object also when the tool does not describe them', async () => {
    const loose = tool('baton:loose', { parameters: {} });
    const { host, toolCalls } = await agentBench({
      tools: [loose],
      models: [said('', calls(loose.name, 'text')), said('Done.')],
    });
    await register(host, agent({ toolAllowlist: ['baton:loose'] }));
    const runId = await invoke(host);
    expect(toolCalls).toEqual([]);
    expect(await payloads(host, runId, 'agent.toolReturned')).toMatchObject([{ status: 'error' }]);
  });
});

describe('a budget', () => {
  const allowed = { toolAllowlist: ['baton:*'] };

  it('of the agent itself holds beside that of the run', async () => {
    const { host, toolCalls } = await agentBench({
      tools: [SEARCH],
      models: (_, at) => said('', calls(SEARCH.name, { at })),
    });
    await register(host, agent({ ...allowed, budget: { maxToolCalls: 1 } }));
    const runId = await invoke(host, { task: 'x' }, budgeted({ maxToolCalls: 5 }));
    expect(toolCalls).toHaveLength(1);
    expect(await payloads(host, runId, 'budget.exhausted')).toEqual([
      { dimension: 'toolCalls', consumed: 1, limit: 1 },
    ]);
  });

  it('of a root counts what its descendants use together, and each use once', async () => {
    const EXPERT = agent({ agentId: 'local.desk.expert', ...allowed });
    const handoff = tool('handoff:local.desk.expert', { name: 'handoff_to_expert' });
    const models = [
      said('', calls('handoff_to_expert', { task: 'x' })),
      said('', calls(SEARCH.name)),
      said('Done.'),
    ];
    const first = await agentBench({ tools: [SEARCH, handoff], models });
    await register(first.host, agent({ handoffs: [{ agentId: EXPERT.agentId }] }), EXPERT);
    // The answers before the third call used 28 tokens: 14 in the root and 14 in its child.
    const over = await invoke(first.host, { task: 'x' }, budgeted({ maxTokens: 28 }));
    expect(await first.host.status(over)).toBe('failed');
    expect(first.requests).toHaveLength(2);
    const second = await agentBench({ tools: [SEARCH, handoff], models });
    await register(second.host, agent({ handoffs: [{ agentId: EXPERT.agentId }] }), EXPERT);
    const within = await invoke(second.host, { task: 'x' }, budgeted({ maxTokens: 29 }));
    expect(await second.host.status(within)).toBe('completed');
    expect(await payloads(second.host, within, 'baton.usage.carried')).toMatchObject([
      { inputTokens: 20, outputTokens: 8, toolCalls: 1 },
    ]);
  });

  it.each<[string, Budget, Budget]>([
    ['the run denies', { modelAllow: ['*'], modelDeny: ['scripted/*'] }, {}],
    ['the run does not allow', { modelAllow: ['claude-*'] }, {}],
    ['the agent does not allow', {}, { modelAllow: ['claude-*'] }],
  ])('keeps a model away that %s', async (_, ofRun, ofAgent) => {
    const { host, requests } = await agentBench({ models: [said('Done.')] });
    await register(host, agent({ budget: ofAgent }));
    const runId = await invoke(host, { task: 'x' }, budgeted(ofRun));
    expect(requests).toEqual([]);
    expect(await payloads(host, runId, 'run.failed')).toMatchObject([
      { error: { code: 'budget_model_denied' } },
    ]);
  });

  it('keeps a model away that a branch chooses in the middle of an invocation', async () => {
    const { host, requests } = await agentBench({
      tools: [SEARCH],
      models: [said('', calls(SEARCH.name)), said('Done.')],
    });
    await register(host, agent({ ...allowed, budget: { modelDeny: ['other/*'] } }));
    const runId = await invoke(host);
    const intents = (await host.events(runId)).filter(({ type }) => type === 'baton.effect.intended');
    const branch = await fork(host, runId, {
      mode: 'branch',
      fromSeq: (intents.at(-2)?.sequence ?? 0) + 1,
      runOptionsOverlay: { configurable: { ai: { provider: 'other', model: 'big' } } },
    });
    expect(requests).toHaveLength(2);
    expect(await payloads(host, branch, 'run.failed')).toMatchObject([
      { error: { code: 'budget_model_denied' } },
    ]);
  });

  it.each<[string, Budget | undefined, Budget | undefined, number]>([
    ['the limit of the host', undefined, undefined, 5],
    ['the stricter limit of the run', { maxEqualCalls: 1 }, { maxEqualCalls: 3 }, 1],
    ['the stricter limit of the agent', { maxEqualCalls: 3 }, { maxEqualCalls: 2 }, 2],
  ])('of equal calls: %s', async (_, ofRun, ofAgent, made) => {
    const { host, toolCalls } = await agentBench({
      tools: [SEARCH],
      models: (_request, at) => (at < 7 ? said('', calls(SEARCH.name, { q: 'same' })) : said('Done.')),
    });
    await register(host, agent({ ...allowed, ...(ofAgent && { budget: ofAgent }) }));
    const runId = await invoke(host, { task: 'x' }, ofRun ? budgeted(ofRun) : {});
    expect(await host.status(runId)).toBe('completed');
    expect(toolCalls).toHaveLength(made);
  });
});

describe('the threshold of confidence', () => {
  const returnSchema = { type: 'object', required: ['text'], properties: { text: { type: 'string' } } };
  const unsure = (confidence: number) => valid({ text: 'Maybe.', confidence });

  it.each<[string, number | undefined, number | undefined, number, string]>([
    ['of the run, below that of the agent', 0.2, 0.9, 0.5, 'completed'],
    ['of the run, above that of the agent', 0.9, 0.2, 0.5, 'waiting-approval'],
    ['of the agent', undefined, 0.4, 0.5, 'completed'],
    ['that is usual', undefined, undefined, 0.69, 'waiting-approval'],
    ['that is usual, reached exactly', undefined, undefined, 0.7, 'completed'],
  ])('LIVE-18 is the one %s', async (_, ofRun, ofAgent, confidence, status) => {
    const { host } = await agentBench({ models: [unsure(confidence)] });
    const more = ofAgent === undefined ? {} : { confidence: { defaultThreshold: ofAgent } };
    await register(host, agent({ returnSchema, ...more }));
    const options = ofRun === undefined ? {} : configurable({ escalationThreshold: ofRun });
    expect(await host.status(await invoke(host, { task: 'x' }, options))).toBe(status);
  });

  it('fails the run when nobody answers in the time that the agent gives', async () => {
    const time = handClock();
    const { host } = await agentBench({ models: [unsure(0.1)] }, { clock: time.clock });
    await register(host, agent({ returnSchema, approvalTimeoutMs: 1000 }));
    const runId = await invoke(host);
    await time.move(1000);
    expect(await payloads(host, runId, 'run.failed')).toMatchObject([
      { error: { code: 'interrupt_timeout' } },
    ]);
    expect(await payloads(host, runId, 'variable.changed')).toEqual([]);
  });

  it('leaves the result to a person, whose text must fit the return schema too', async () => {
    const { host } = await agentBench({ models: [unsure(0.1)] });
    await register(host, agent({ returnSchema }));
    const runId = await invoke(host);
    const edit = (editedArtifactData: JsonObject) =>
      host.execute({
        kind: 'resolve-interrupt',
        caller: CALLER,
        runId,
        target: { nodeId: 'agent' },
        resumeValue: { action: 'edit-accept', editedArtifactData },
        viaToken: false,
        scopes: [],
      });
    expect(await edit({ text: 5 })).toMatchObject({ ok: false, error: { error: 'validation_error' } });
    expect(await host.status(runId)).toBe('waiting-approval');
    expect(await edit({ text: 'Surely.' })).toMatchObject({ ok: true });
    await settled();
    expect(await payloads(host, runId, 'variable.changed')).toMatchObject([
      { name: 'text', next: 'Surely.' },
      { name: 'result', next: { text: 'Surely.' } },
    ]);
  });
});

describe('a tool call whose outcome was lost', () => {
  const SEND = tool('http:send', { repeatable: 'no', transport: 'http' });
  const never = () => new Promise<never>(() => undefined);

  it('is repeated by a person under its first key and its first callId, also as the only equal call', async () => {
    verifies('LIVE-09');
    const first = await agentBench({ tools: [SEND], models: [said('', calls(SEND.name))], call: never });
    await register(first.host, agent({ toolAllowlist: ['http:*'], budget: { maxEqualCalls: 1 } }));
    const runId = await invoke(first.host);
    const second = await agentBench({
      tools: [SEND],
      models: [said('Done.')],
      call: (_, effect) =>
        effect.again ? ({ status: 'unknown' } as never) : { status: 'ok', output: 'sent' },
    });
    const after = await first.host.crash({ perform: second.perform });
    await settled();
    expect(await after.status(runId)).toBe('waiting-approval');
    await answer(after, runId, 'agent');
    await settled();
    expect(await after.status(runId)).toBe('completed');
    expect(second.toolCalls.at(-1)?.request.key).toBe(first.toolCalls[0]?.key);
    const called = await payloads(after, runId, 'agent.toolCalled');
    const returned = await payloads(after, runId, 'agent.toolReturned');
    expect(called).toHaveLength(1);
    expect(returned.map(({ callId, status }) => [callId, status])).toEqual([[called[0]?.callId, 'ok']]);
  });
});

describe('a handoff', () => {
  const handoff = tool('handoff:local.desk.expert', { name: 'handoff_to_expert' });
  const taskSchema = { type: 'object', required: ['task'], properties: { task: { type: 'string' } } };
  const EXPERT = agent({ agentId: 'local.desk.expert', taskSchema });

  it('passes the earlier history too, and makes no other call of the answer', async () => {
    const { host, toolCalls } = await agentBench({
      tools: [handoff, SEARCH],
      models: [said('', calls('handoff_to_expert', { task: 'x' }), calls(SEARCH.name)), said('Solved.')],
    });
    const from = agent({
      toolAllowlist: ['baton:*'],
      handoffs: [{ agentId: EXPERT.agentId, history: 'full' }],
    });
    await register(host, from, EXPERT);
    const runId = await invoke(host, { task: 'Now.', history: [{ role: 'user', content: 'Before.' }] });
    expect(await host.status(runId)).toBe('completed');
    expect(toolCalls).toEqual([]);
    const [begun] = await payloads(host, `${runId}.1`, 'run.started');
    expect(begun?.inputs).toEqual({
      task: 'x',
      history: [
        { role: 'user', content: 'Before.' },
        { role: 'user', content: 'Now.' },
      ],
    });
  });

  it('passes a summary of at most 2000 characters', async () => {
    const { host } = await agentBench({
      tools: [handoff],
      models: [said('y'.repeat(5000), calls('handoff_to_expert', { task: 'x' })), said('Solved.')],
    });
    await register(host, agent({ handoffs: [{ agentId: EXPERT.agentId, history: 'summary' }] }), EXPERT);
    const runId = await invoke(host);
    const [begun] = await payloads(host, `${runId}.1`, 'run.started');
    const content = `Task: Write.\n${'y'.repeat(5000)}`.slice(0, 2000);
    expect(begun?.inputs).toMatchObject({ history: [{ role: 'user', content }] });
  });
});
