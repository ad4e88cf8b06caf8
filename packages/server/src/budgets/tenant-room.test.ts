import type { TenantBudgets } from '@baton/agents';
import type { Spending } from '@baton/engine/ports';
import { describe, expect, it } from 'vitest';
import { tenantRoom } from './tenant-room.ts';

const NOW = Date.parse('2026-03-10T15:00:00Z');
const USED: Spending = { inputTokens: 60, outputTokens: 40, toolCalls: 5, costUsd: 0.5 };

function room(budgets: TenantBudgets, used: Spending = USED) {
  const asked: [string, number][] = [];
  const spending = async (tenant: string, first: number, last: number) => {
    asked.push([tenant, last - first + 1]);
    return used;
  };
  return { asked, refusal: tenantRoom({ budgets, spending, now: () => NOW }).refusal };
}

describe('the budget of a tenant', () => {
  it.each([
    ['tokens, used up', { maxTokens: 100 }, 'model', 'tokens', 100],
    ['tokens, before a tool call', { maxTokens: 100 }, 'tool', 'tokens', 100],
    ['tokens, not used up', { maxTokens: 101 }, 'model', undefined, 0],
    ['costs, used up', { maxCostUsd: 0.5 }, 'model', 'cost', 0.5],
    ['costs, not used up', { maxCostUsd: 0.51 }, 'model', undefined, 0],
    // The fifth of the tool calls is the one that is asked about.
    ['tool calls, with the last that is allowed', { maxToolCalls: 5 }, 'tool', undefined, 0],
    ['tool calls, with one too many', { maxToolCalls: 4 }, 'tool', 'toolCalls', 4],
    ['tool calls, before a model call', { maxToolCalls: 4 }, 'model', undefined, 0],
  ] as const)('of %s', async (_, limits, next, dimension, consumed) => {
    const { refusal } = room(new Map([['acme', { day: limits }]]));
    const error = await refusal('acme', next);
    expect(error?.details).toEqual(
      dimension && { scope: 'tenant', period: 'day', dimension, consumed, limit: Object.values(limits)[0] },
    );
  });

  it('does not count a cost that is not known', async () => {
    const { costUsd: _unknown, ...used } = USED;
    const { refusal } = room(new Map([['acme', { day: { maxCostUsd: 0.1 } }]]), used);
    expect(await refusal('acme', 'model')).toBeUndefined();
  });

  it('says when the next period begins', async () => {
    const { refusal } = room(new Map([['acme', { month: { maxTokens: 100 } }]]));
    expect(await refusal('acme', 'model')).toMatchObject({
      code: 'budget_exhausted',
      message:
        'The tenant may use 100 tokens in a month, and 100 are used. ' +
        'Retry the run after 2026-04-01T00:00:00.000Z, or ask the operator for a higher limit.',
    });
  });

  it('is that of "*" for tenants without an entry, and counts each tenant by itself', async () => {
    const { refusal, asked } = room(
      new Map([
        ['*', { day: { maxTokens: 1 }, month: { maxTokens: 1000 } }],
        ['acme', { month: { maxTokens: 1000 } }],
      ]),
    );
    expect(await refusal('acme', 'model')).toBeUndefined();
    expect(await refusal('other', 'model')).toMatchObject({ details: { period: 'day' } });
    expect(asked).toEqual([
      ['acme', 31],
      ['other', 1],
    ]);
  });

  it('costs no read where there is none', async () => {
    const { refusal, asked } = room(new Map([['acme', { day: { maxTokens: 1 } }]]));
    expect(await refusal('other', 'model')).toBeUndefined();
    expect(asked).toEqual([]);
  });
});
