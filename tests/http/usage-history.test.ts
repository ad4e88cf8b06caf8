import { afterAll, expect, it } from 'vitest';
import { ALL_SCOPES, sharedHost } from './host.ts';

/** What a tenant and its agents used on each of the last days. */

const DAY_MS = 86_400_000;
const clerk = (agentId: string) => ({
  agentId,
  persona: 'Clerk',
  modelClass: 'general',
  systemPrompt: 'You are a clerk.',
  toolAllowlist: ['baton:calculate'],
  baton: {
    script: [{ calls: [{ tool: 'baton_calculate', input: { expression: '6 * 7' } }] }, { text: 'It is 42.' }],
  },
});
const host = await sharedHost({}, [{ token: 'other-key', tenant: 'other', scopes: ALL_SCOPES }]);
afterAll(() => host.stop());
for (const agentId of ['local.desk.busy', 'local.desk.calm'])
  await host.post('/v1/agents', { manifest: clerk(agentId) });
for (const agentId of ['local.desk.calm', 'local.desk.busy', 'local.desk.busy']) {
  const body = { agentId, inputs: { task: 'Count.' } };
  const { body: run } = await host.post('/v1/runs', body, { headers: { prefer: 'wait=20' } });
  if (run.status !== 'completed') throw new Error(`the run is ${run.status}`);
}

it('has every day, and today what was used', async () => {
  const { status, body } = await host.get('/v1/usage/history?days=3');
  expect(status).toBe(200);
  expect(Date.parse(body.until) - Date.parse(body.from)).toBe(3 * DAY_MS);
  expect(body.days).toHaveLength(3);
  expect(body.days[0].day).toBe(body.from.slice(0, 10));
  expect(body.days[0]).toMatchObject({ inputTokens: 0, outputTokens: 0, toolCalls: 0 });
  const { periods } = (await host.get('/v1/usage')).body;
  // The runs may have been at the other side of midnight.
  const sum = (name: string) =>
    body.days.reduce((total: number, day: Record<string, number>) => total + (day[name] ?? 0), 0);
  expect(sum('toolCalls')).toBe(3);
  expect(sum('inputTokens')).toBeGreaterThan(0);
  expect(sum('inputTokens')).toBeGreaterThanOrEqual(periods[0].used.inputTokens);
  expect(body).not.toHaveProperty('agents');
  expect((await host.get('/v1/usage/history')).body.days).toHaveLength(30);
});

it('tells what each agent used, and the agents together used it all', async () => {
  const { days, agents } = (await host.get('/v1/usage/history?days=2&by=agent')).body;
  expect(agents.map((agent: { agentId: string }) => agent.agentId)).toEqual([
    'local.desk.busy',
    'local.desk.calm',
  ]);
  type Day = { inputTokens: number; outputTokens: number; toolCalls: number };
  const calls = (used: readonly Day[]) => used.reduce((sum, day) => sum + day.toolCalls, 0);
  const tokens = (used: readonly Day[]) =>
    used.reduce((sum, day) => sum + day.inputTokens + day.outputTokens, 0);
  expect(agents.map((agent: { days: readonly Day[] }) => calls(agent.days))).toEqual([2, 1]);
  expect(tokens(agents.flatMap((agent: { days: readonly Day[] }) => agent.days))).toBe(tokens(days));
});

it('shows nothing of other tenants', async () => {
  const { body } = await host.get('/v1/usage/history?by=agent', { key: 'other-key' });
  expect(body.agents).toEqual([]);
  expect(body.days.every((day: { inputTokens: number }) => day.inputTokens === 0)).toBe(true);
});

it.each([
  ['days=0', 'days'],
  ['days=367', 'days'],
  ['days=-1', 'days'],
  ['days=1.5', 'days'],
  ['days=many', 'days'],
  ['by=workflow', 'by'],
])('refuses %s', async (query, field) => {
  expect(await host.get(`/v1/usage/history?${query}`)).toMatchObject({
    status: 400,
    body: { error: 'validation_error', details: { field } },
  });
});
