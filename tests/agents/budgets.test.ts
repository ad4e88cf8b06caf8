import type { Budget, JsonObject } from '@baton/protocol';
import { describe, expect, it } from 'vitest';
import { node, workflow } from '../../packages/conformance/src/testkit/workflows.ts';
import { after, expectSameFrom, fork, line, start } from '../driver/forking.ts';
import type { Bench } from '../driver/test-engine.ts';
import { AGENT_ID, agent, agentBench, calls, invoke, payloads, register, said, tool } from './bench.ts';

/** The budgets of runs and agents, and what the log tells of them. Each answer of a model uses 14 tokens. */

const SEARCH = tool('baton:search');
const EXPERT_ID = 'local.desk.expert';
const budgeted = (budget: Budget) => ({ configurable: { budget } as unknown as JsonObject });
const asking = (id: string, agentId: string) =>
  node(id, 'core.agent', {}, { agent: { agentId }, inputs: { task: { type: 'static', value: 'x' } } });

/** Searches so often, and then ends. */
const searching = (times: number) => (_: unknown, at: number) =>
  at < times ? said('', calls(SEARCH.name, { at })) : said('Done.');

async function budgetEvents(host: Bench, runId: string) {
  const told = (await host.events(runId)).filter(({ type }) => /^(?:budget|cap)\./.test(type));
  return told.map(({ type, payload }) => ({ type, ...payload }));
}

describe('the budget of a run', () => {
  it('is told when it begins to hold, by the tenth, at its threshold and when it is used up', async () => {
    const { host } = await agentBench({ tools: [SEARCH], models: searching(9) });
    await register(host, agent({ toolAllowlist: ['baton:*'], maxToolRounds: 20 }));
    const runId = await invoke(host, { task: 'x' }, budgeted({ maxTokens: 40, thresholdPercent: 50 }));
    expect((await host.types(runId)).slice(0, 3)).toEqual(['run.started', 'budget.reserved', 'node.started']);
    const [tokens, limit] = [{ dimension: 'tokens' }, { limit: 40 }];
    expect(await budgetEvents(host, runId)).toEqual([
      { type: 'budget.reserved', effectiveBudget: { maxTokens: 40 }, scope: 'run' },
      { type: 'budget.consumed', ...tokens, ...limit, consumed: 14, remaining: 26 },
      { type: 'budget.consumed', ...tokens, ...limit, consumed: 28, remaining: 12 },
      { type: 'budget.threshold.crossed', ...tokens, ...limit, consumed: 28, percent: 50 },
      { type: 'budget.consumed', ...tokens, ...limit, consumed: 42, remaining: 0 },
      { type: 'budget.exhausted', ...tokens, ...limit, consumed: 42 },
      { type: 'cap.breached', kind: 'budget-tokens', ...limit, observed: 42, nodeId: 'agent' },
    ]);
    const events = await host.events(runId);
    const reserved = events.find(({ type }) => type === 'budget.reserved')?.eventId;
    const told = events.filter(({ type }) => /^budget\.(?:con|thr|exh)/.test(type));
    expect(told.map(({ causationId }) => causationId)).toEqual(told.map(() => reserved));
    await expectSameFrom(host, runId, [0]);
  });

  it('is told at most ten times for each limit, however many calls use it', async () => {
    const { host } = await agentBench({ tools: [SEARCH], models: searching(40) });
    await register(host, agent({ toolAllowlist: ['baton:*'], maxToolRounds: 50 }));
    const runId = await invoke(host, { task: 'x' }, budgeted({ maxTokens: 700, maxToolCalls: 45 }));
    expect(await host.status(runId)).toBe('completed');
    const consumed = await payloads(host, runId, 'budget.consumed');
    expect(consumed.filter(({ dimension }) => dimension === 'tokens')).toHaveLength(8);
    expect(consumed.filter(({ dimension }) => dimension === 'toolCalls')).toHaveLength(8);
    expect(await payloads(host, runId, 'budget.threshold.crossed')).toEqual([
      { dimension: 'toolCalls', consumed: 36, limit: 45, percent: 80 },
      { dimension: 'tokens', consumed: 560, limit: 700, percent: 80 },
    ]);
  });

  it('makes the calls of one answer together or not at all, and counts only calls that are made', async () => {
    const many = (count: number) =>
      said('', ...Array.from({ length: count }, (_, at) => calls(SEARCH.name, { at }, `id-${at}`)));
    const { host, toolCalls } = await agentBench({
      tools: [SEARCH],
      models: [many(5), many(2), said('Done.')],
    });
    await register(host, agent({ toolAllowlist: ['baton:*'] }));
    const refused = await invoke(host, { task: 'x' }, budgeted({ maxToolCalls: 2 }));
    expect(toolCalls).toEqual([]);
    expect(await payloads(host, refused, 'agent.toolCalled')).toEqual([]);
    expect(await payloads(host, refused, 'budget.exhausted')).toEqual([
      { dimension: 'toolCalls', consumed: 0, limit: 2 },
    ]);
    expect(await payloads(host, refused, 'run.failed')).toMatchObject([
      { error: { code: 'budget_exhausted', message: expect.stringContaining('asks for 5 at once') } },
    ]);
    const made = await invoke(host, { task: 'x' }, budgeted({ maxToolCalls: 2 }));
    expect(await host.status(made)).toBe('completed');
    expect(toolCalls).toHaveLength(2);
  });

  it('of 0 US dollars allows no call', async () => {
    const { host, requests } = await agentBench({ models: [said('Done.')] });
    await register(host, agent());
    const runId = await invoke(host, { task: 'x' }, budgeted({ maxCostUsd: 0 }));
    expect(requests).toEqual([]);
    expect(await payloads(host, runId, 'budget.exhausted')).toEqual([
      { dimension: 'cost', consumed: 0, limit: 0 },
    ]);
  });

  it('does not count calls that the host refuses', async () => {
    const same = () => calls(SEARCH.name, { q: 'same' });
    const { host, toolCalls } = await agentBench({
      tools: [SEARCH],
      models: [said('', same(), same(), same()), said('', calls(SEARCH.name, { q: 'other' })), said('Done.')],
    });
    await register(host, agent({ toolAllowlist: ['baton:*'] }));
    const runId = await invoke(host, { task: 'x' }, budgeted({ maxToolCalls: 2, maxEqualCalls: 1 }));
    expect(await host.status(runId)).toBe('completed');
    expect(toolCalls).toHaveLength(2);
    const called = await payloads(host, runId, 'agent.toolCalled');
    expect(called.map(({ made }) => made)).toEqual([undefined, false, false, undefined]);
    await expectSameFrom(host, runId, [0]);
  });

  it('is not told where there is none, and only models limit nothing that could be counted', async () => {
    const { host } = await agentBench({ models: [said('Done.'), said('Done.')] });
    await register(host, agent());
    for (const options of [{}, budgeted({ modelAllow: ['*'] })])
      expect(await budgetEvents(host, await invoke(host, { task: 'x' }, options))).toEqual([]);
  });

  it('is told in the log of the run that uses it, with what all runs of the tree used', async () => {
    const handoff = tool(`handoff:${EXPERT_ID}`, { name: 'handoff_to_expert' });
    const { host } = await agentBench({
      tools: [handoff],
      models: [said('', calls('handoff_to_expert', { task: 'x' })), said('Done.')],
    });
    await register(host, agent({ handoffs: [{ agentId: EXPERT_ID }] }), agent({ agentId: EXPERT_ID }));
    const runId = await invoke(host, { task: 'x' }, budgeted({ maxTokens: 30 }));
    expect((await budgetEvents(host, runId)).map(({ type }) => type)).toEqual([
      'budget.reserved',
      'budget.consumed',
    ]);
    expect(await budgetEvents(host, `${runId}.1`)).toMatchObject([
      { type: 'budget.consumed', consumed: 28 },
      { type: 'budget.threshold.crossed', consumed: 28 },
    ]);
    await expectSameFrom(host, runId, [0]);
  });

  it('is recorded again in a branch that changes it, and not in one that does not', async () => {
    const { host } = await agentBench({ tools: [SEARCH], models: searching(3) });
    await register(host, agent({ toolAllowlist: ['baton:*'] }));
    const runId = await invoke(host, { task: 'x' }, budgeted({ maxTokens: 28 }));
    expect(await host.status(runId)).toBe('failed');
    const fromSeq = await after(host, runId, 'agent.toolReturned');
    const more = { configurable: { budget: { maxTokens: 1000 } } };
    const branch = await fork(host, runId, { mode: 'branch', fromSeq, runOptionsOverlay: more });
    expect(await host.status(branch)).toBe('completed');
    expect(await payloads(host, branch, 'budget.reserved')).toEqual([
      { effectiveBudget: { maxTokens: 28 }, scope: 'run' },
      { effectiveBudget: { maxTokens: 1000 }, scope: 'run' },
    ]);
    const same = await fork(host, runId, { mode: 'branch', fromSeq });
    expect(await payloads(host, same, 'budget.reserved')).toHaveLength(1);
  });

  it.each<[string, Budget, string]>([
    ['a budget that is used up', { maxTokens: 14 }, 'budget_exhausted'],
    ['a model that it denies', { modelDeny: ['openai/*'] }, 'budget_model_denied'],
  ])('also holds for nodes without an agent: %s', async (_, budget, code) => {
    const prompt = { inputs: { prompt: { type: 'static', value: 'Why?' } } };
    const ask = (id: string, more: object) => node(id, 'core.ai.callPrompt', { ...more, model: 'm' }, prompt);
    const { host, requests } = await agentBench({ models: [said('1'), said('2')] });
    await host.register(
      line('w', [ask('one', { provider: 'anthropic' }), ask('two', { provider: 'openai' })]),
    );
    const runId = await start(host, 'w', budgeted(budget));
    expect(requests).toHaveLength(1);
    expect(await payloads(host, runId, 'run.failed')).toMatchObject([
      { error: { code }, failedNodeId: 'two' },
    ]);
    await expectSameFrom(host, runId, [0]);
  });

  it('is checked before a structured call asks again', async () => {
    const ask = node(
      'ask',
      'core.ai.structuredOutput',
      { provider: 'mock', model: 'm', outputSchema: { type: 'object' } },
      { inputs: { messages: { type: 'static', value: [{ role: 'user', content: 'x' }] } } },
    );
    const usage = { inputTokens: 10, outputTokens: 4 };
    const broken = { result: { kind: 'invalid', reason: 'schema-violation', problem: 'no' }, usage } as const;
    const { host, requests } = await agentBench({ models: [broken, broken, broken] });
    await host.register(workflow('w', [ask]));
    const runId = await start(host, 'w', budgeted({ maxTokens: 28 }));
    expect(requests).toHaveLength(2);
    expect(await payloads(host, runId, 'run.failed')).toMatchObject([
      { error: { code: 'budget_exhausted' } },
    ]);
  });
});

describe('the budget of an agent', () => {
  const LIMITED = agent({ agentId: EXPERT_ID, budget: { maxTokens: 20 } });

  it('counts the calls of this agent, not those of another one in the same run', async () => {
    const { host, requests } = await agentBench({
      agents: [agent(), LIMITED],
      models: [said('One.'), said('Two.')],
    });
    await register(host, agent(), LIMITED);
    await host.register(line('w', [asking('first', AGENT_ID), asking('second', EXPERT_ID)]));
    const runId = await start(host, 'w');
    expect(requests).toHaveLength(2);
    expect(await host.status(runId)).toBe('completed');
    expect(await budgetEvents(host, runId)).toEqual([
      { type: 'budget.reserved', effectiveBudget: { maxTokens: 20 }, scope: 'agent' },
      { type: 'budget.consumed', dimension: 'tokens', consumed: 14, limit: 20, remaining: 6 },
    ]);
    await expectSameFrom(host, runId, [0]);
  });

  it('counts the calls of all its nodes in the run, and is told once', async () => {
    const { host, requests } = await agentBench({
      agents: [LIMITED],
      models: [said('One.'), said('Two.'), said('Three.')],
    });
    await register(host, LIMITED);
    await host.register(
      line(
        'w',
        ['a', 'b', 'c'].map((id) => asking(id, EXPERT_ID)),
      ),
    );
    const runId = await start(host, 'w');
    expect(requests).toHaveLength(2);
    expect(await payloads(host, runId, 'budget.reserved')).toHaveLength(1);
    expect(await payloads(host, runId, 'cap.breached')).toEqual([
      { kind: 'budget-tokens', limit: 20, observed: 28, nodeId: 'c', scope: 'agent' },
    ]);
    expect(await payloads(host, runId, 'run.failed')).toMatchObject([
      { error: { code: 'budget_exhausted' }, failedNodeId: 'c' },
    ]);
  });

  it('does not count what the agent used in another run', async () => {
    const { host } = await agentBench({ models: [said('One.'), said('Two.')] });
    await register(host, agent({ budget: { maxTokens: 14 } }));
    for (let time = 0; time < 2; time += 1) expect(await host.status(await invoke(host))).toBe('completed');
  });
});
