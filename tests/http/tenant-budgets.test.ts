import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { emptyFolder } from '../empty-folder.ts';
import { ALL_SCOPES, startTestHost, type TestHost } from './host.ts';

/** The budgets of tenants on a real host. */

const AGENT = {
  agentId: 'local.desk.clerk',
  persona: 'Clerk',
  modelClass: 'general',
  systemPrompt: 'You are a clerk.',
  toolAllowlist: ['baton:calculate'],
  baton: {
    script: [{ calls: [{ tool: 'baton_calculate', input: { expression: '6 * 7' } }] }, { text: 'It is 42.' }],
  },
};
const folder = emptyFolder();
const tenantBudgets = new Map([
  ['*', { day: { maxToolCalls: 1 } }],
  ['rich', { month: { maxTokens: 1_000_000, maxCostUsd: 5 } }],
]);
const KEYS = [
  { token: 'rich-key', tenant: 'rich', scopes: ALL_SCOPES },
  { token: 'blind-key', tenant: 'rich', scopes: ['runs:create'] },
];

let host: TestHost;
const open = async (keys = KEYS.slice(0, 0)) => {
  host = await startTestHost({ dataFolder: folder, tenantBudgets }, keys);
};
beforeAll(() => open(KEYS));
afterAll(() => host.stop());

const run = async (key?: string) => {
  const sending = { ...(key !== undefined && { key }), headers: { prefer: 'wait=20' } };
  const body = { agentId: AGENT.agentId, inputs: { task: 'Count.' } };
  return (await host.post('/v1/runs', body, sending)).body;
};
const usage = async (key?: string) => (await host.get('/v1/usage', key === undefined ? {} : { key })).body;

describe('the budget of a tenant', () => {
  it('is shown with what was used, holds over a restart, and leaves other tenants alone', async () => {
    for (const key of [undefined, 'rich-key'])
      await host.post('/v1/agents', { manifest: AGENT }, key === undefined ? {} : { key });
    expect(await run()).toMatchObject({ status: 'completed' });
    const before = await usage();
    expect(before).toMatchObject({
      tenant: 'default',
      periods: [
        { period: 'day', used: { toolCalls: 1 }, limits: { maxToolCalls: 1 } },
        { period: 'month', used: { toolCalls: 1 }, limits: {} },
      ],
    });
    expect(before.periods[0].used.inputTokens).toBeGreaterThan(0);
    await host.stop();
    await open();
    expect(await run()).toMatchObject({
      status: 'failed',
      error: { code: 'budget_exhausted', details: { scope: 'tenant', dimension: 'toolCalls' } },
    });
    for (let time = 0; time < 2; time += 1)
      expect(await run('rich-key')).toMatchObject({ status: 'completed' });
    expect(await usage('rich-key')).toMatchObject({
      tenant: 'rich',
      periods: [
        { period: 'day', used: { toolCalls: 2 }, limits: {} },
        { period: 'month', limits: { maxTokens: 1_000_000, maxCostUsd: 5 } },
      ],
    });
  });
});
