import type { TenantBudgets } from '@baton/agents';
import type { Effect, EffectOutcome } from '@baton/engine';
import type { SpendingReads } from '@baton/engine/ports';
import { describe, expect, it } from 'vitest';
import { tenantRoom } from '../../packages/server/src/budgets/tenant-room.ts';
import { after, expectSameFrom, fork, replay } from '../driver/forking.ts';
import { type Bench, CALLER, handClock, settled } from '../driver/test-engine.ts';
import { AGENT_ID, agent, agentBench, calls, invoke, payloads, register, said, tool } from './bench.ts';

/** What a tenant may use in a day or a month. Each answer of a model uses 14 tokens. */

const DAY_MS = 86_400_000;
const SEARCH = tool('baton:search');
const START = Date.UTC(2026, 0, 30, 12);
const FIRST_DAY = Math.floor(START / DAY_MS);
const USED_ONCE = { inputTokens: 10, outputTokens: 4, toolCalls: 0 };

type Outside = Parameters<typeof agentBench>[0];

/** An engine whose model calls and tool calls are checked as those of a host are. */
async function budgetedBench(budgets: TenantBudgets, outside: Outside) {
  const time = handClock(START);
  let reads: SpendingReads | undefined;
  const room = tenantRoom({
    budgets,
    spending: async (...asked) => (reads as SpendingReads).spending(...asked),
    now: time.clock.now,
  });
  const inner = await agentBench(outside, { clock: time.clock });
  const checked = async (effect: Effect): Promise<EffectOutcome> => {
    const next = { 'model.call': 'model', 'tool.call': 'tool' } as const;
    const kind = next[effect.kind as keyof typeof next];
    const error = kind && (await room.refusal(effect.tenant, kind));
    return error ? { kind: 'failed', error, retryable: false } : inner.perform(effect, undefined as never);
  };
  const begin = async (): Promise<Bench> => {
    const host = await inner.host.crash({ perform: checked, clock: time.clock });
    reads = host.reads;
    return host;
  };
  const host = await begin();
  const spending = (tenant = CALLER.tenant, day = FIRST_DAY) =>
    (reads as SpendingReads).spending(tenant, day, day);
  /** What each agent used on the first day. */
  const byAgent = async () => {
    const agents = await (reads as SpendingReads).agentSpending(CALLER.tenant, FIRST_DAY, FIRST_DAY, 10);
    return Object.fromEntries(agents.map(({ agentId, days }) => [agentId, days[0]]));
  };
  return { ...inner, host, begin, time, spending, byAgent };
}

const daily = (limits: object): TenantBudgets => new Map([[CALLER.tenant, { day: limits }]]);

describe('the spending of a tenant', () => {
  it('counts model calls and tool calls of all runs, children once, and failed tries too', async () => {
    const handoff = tool('handoff:local.desk.expert', { name: 'handoff_to_expert' });
    const spent = { usage: { inputTokens: 7, outputTokens: 1 }, costUsd: 0.25 };
    const error = { code: 'provider_error', message: 'No.' };
    const { host, spending, byAgent, time } = await budgetedBench(new Map(), {
      tools: [SEARCH, handoff],
      models: [
        { kind: 'failed', error, spent },
        said('', calls('handoff_to_expert', { task: 'x' })),
        said('', calls(SEARCH.name)),
        said('Done.'),
      ],
    });
    const expert = agent({ agentId: 'local.desk.expert', toolAllowlist: ['baton:*'] });
    await register(host, agent({ handoffs: [{ agentId: expert.agentId }] }), expert);
    const runId = await invoke(host);
    await time.move(60_000);
    expect(await host.status(runId)).toBe('completed');
    expect(await spending()).toEqual({ inputTokens: 37, outputTokens: 13, toolCalls: 1, costUsd: 0.25 });
    expect(await byAgent()).toMatchObject({
      [AGENT_ID]: { inputTokens: 17, outputTokens: 5, toolCalls: 0, costUsd: 0.25 },
      [expert.agentId]: { inputTokens: 20, outputTokens: 8, toolCalls: 1 },
    });
    expect(await spending('other')).toEqual({ inputTokens: 0, outputTokens: 0, toolCalls: 0 });
  });

  it('does not count what a replay repeats, and counts a replay that asks the models again', async () => {
    const { host, spending, byAgent } = await budgetedBench(new Map(), {
      tools: [SEARCH],
      models: (_, at) => (at % 2 === 0 ? said('', calls(SEARCH.name)) : said('Done.')),
    });
    await register(host, agent({ toolAllowlist: ['baton:*'] }));
    const runId = await invoke(host);
    const once = { inputTokens: 20, outputTokens: 8, toolCalls: 1 };
    expect(await spending()).toEqual(once);
    await replay(host, runId);
    expect(await spending()).toEqual(once);
    await fork(host, runId, { mode: 'replay', models: 'live' });
    expect(await spending()).toEqual({ inputTokens: 40, outputTokens: 16, toolCalls: 1 });
    expect(await byAgent()).toMatchObject({ [AGENT_ID]: await spending() });
  });

  it('counts of a branch only what the branch itself uses', async () => {
    const { host, spending, byAgent } = await budgetedBench(new Map(), {
      tools: [SEARCH],
      models: (_, at) => (at === 0 ? said('', calls(SEARCH.name)) : said('Done.')),
    });
    await register(host, agent({ toolAllowlist: ['baton:*'] }));
    const runId = await invoke(host);
    const fromSeq = await after(host, runId, 'agent.toolReturned');
    await fork(host, runId, { mode: 'branch', fromSeq });
    expect(await spending()).toEqual({ inputTokens: 30, outputTokens: 12, toolCalls: 1 });
    expect(await byAgent()).toMatchObject({ [AGENT_ID]: await spending() });
  });

  it('does not count an answer that the host had kept', async () => {
    const { host, spending } = await budgetedBench(new Map(), {
      models: [{ ...said('Done.'), reused: true } as never],
    });
    await register(host, agent());
    expect(await host.status(await invoke(host))).toBe('completed');
    expect(await spending()).toMatchObject({ inputTokens: 0 });
  });
});

describe('the budget of a tenant', () => {
  it('fails the run before the call that it does not allow, and its replay does not check again', async () => {
    const { host, requests, spending } = await budgetedBench(daily({ maxTokens: 20 }), {
      tools: [SEARCH],
      models: (_, at) => said('', calls(SEARCH.name, { at })),
    });
    await register(host, agent({ toolAllowlist: ['baton:*'] }));
    const runId = await invoke(host);
    expect(requests).toHaveLength(2);
    const types = (await host.types(runId)).slice(-7);
    expect(types).toEqual([
      'baton.effect.intended',
      'baton.effect.settled',
      'budget.exhausted',
      'cap.breached',
      'agent.invocation.completed',
      'node.failed',
      'run.failed',
    ]);
    expect(await payloads(host, runId, 'budget.exhausted')).toEqual([
      { dimension: 'tokens', consumed: 28, limit: 20 },
    ]);
    expect(await payloads(host, runId, 'cap.breached')).toEqual([
      {
        kind: 'budget-tokens',
        limit: 20,
        observed: 28,
        nodeId: 'agent',
        scope: 'tenant',
        period: 'day',
      },
    ]);
    expect(await payloads(host, runId, 'run.failed')).toMatchObject([
      { error: { code: 'budget_exhausted', details: { scope: 'tenant', period: 'day' } } },
    ]);
    await expectSameFrom(host, runId, [0]);
    expect(await spending()).toMatchObject({ inputTokens: 20, toolCalls: 1 });
  });

  it('holds after a restart, ends with its period, and that of the month goes on', async () => {
    const limits = { day: { maxTokens: 14 }, month: { maxTokens: 28 } };
    const bench = await budgetedBench(new Map([[CALLER.tenant, limits]]), { models: () => said('Done.') });
    const { time, spending } = bench;
    let { host } = bench;
    await register(host, agent());
    const outcome = async () => {
      const runId = await invoke(host);
      const [failed] = await payloads(host, runId, 'run.failed');
      return failed?.error.details?.period ?? (await host.status(runId));
    };
    expect(await outcome()).toBe('completed');
    host = await bench.begin();
    expect(await outcome()).toBe('day');
    await time.move(DAY_MS);
    expect(await outcome()).toBe('completed');
    expect(await spending(CALLER.tenant, FIRST_DAY + 1)).toEqual(USED_ONCE);
    expect(await outcome()).toBe('day');
    // The first day of the next month.
    await time.move(DAY_MS);
    expect(await outcome()).toBe('completed');
    await time.move(DAY_MS);
    expect(await outcome()).toBe('completed');
    await time.move(DAY_MS);
    expect(await outcome()).toBe('month');
  });

  it('counts each tenant by itself, also where both have the budget of "*"', async () => {
    const { host } = await budgetedBench(new Map([['*', { day: { maxTokens: 14 } }]]), {
      models: () => said('Done.'),
    });
    const caller = { ...CALLER, tenant: 'other' };
    for (const one of [CALLER, caller])
      await host.execute({ kind: 'register-agent', caller: one, agent: agent(), shared: false });
    await invoke(host);
    expect(await host.status(await invoke(host))).toBe('failed');
    const body = { agentId: AGENT_ID, inputs: { task: 'x' } } as never;
    const reply = await host.execute({ kind: 'create-run', caller, body });
    await settled();
    if (!reply.ok || reply.value.kind !== 'run') throw new Error(JSON.stringify(reply));
    const events = await host.reads.events('other', reply.value.runId, 0, 100);
    expect(JSON.parse(events.at(-1) ?? '')).toMatchObject({ type: 'run.completed' });
  });

  it('does not count the calls of an answer that asks for more calls than are left', async () => {
    const counts = [4, 20, 6];
    const { host, toolCalls, spending } = await budgetedBench(daily({ maxToolCalls: 10 }), {
      tools: [SEARCH],
      models: ({ messages }) => {
        if (messages.some(({ role }) => role === 'tool')) return said('Done.');
        const count = counts.shift() ?? 0;
        return said('', ...Array.from({ length: count }, (_, at) => calls(SEARCH.name, { at }, `id-${at}`)));
      },
    });
    await register(host, agent({ toolAllowlist: ['baton:*'] }));
    const outcomes: unknown[] = [];
    for (let time = 0; time < 3; time += 1) {
      const runId = await invoke(host);
      outcomes.push([await host.status(runId), toolCalls.length, (await spending()).toolCalls]);
      await expectSameFrom(host, runId, [0]);
    }
    expect(outcomes).toEqual([
      ['completed', 4, 4],
      ['failed', 4, 4],
      ['completed', 10, 10],
    ]);
  });

  it('of tool calls is never exceeded by calls at once', async () => {
    const { host, toolCalls } = await budgetedBench(daily({ maxToolCalls: 3 }), {
      tools: [SEARCH],
      models: (_, at) =>
        said('', ...[0, 1].map((call) => calls(SEARCH.name, { at, call }, `id-${at}-${call}`))),
    });
    await register(host, agent({ toolAllowlist: ['baton:*'] }));
    const runId = await invoke(host);
    expect(toolCalls.length).toBeLessThanOrEqual(3);
    expect(await payloads(host, runId, 'run.failed')).toMatchObject([
      { error: { code: 'budget_exhausted', details: { dimension: 'toolCalls', limit: 3 } } },
    ]);
  });
});
