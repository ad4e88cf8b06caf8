import Type from 'typebox';
import { BUDGET_PERIODS, type BudgetPeriod } from '../schemas/agent.ts';
import { closed } from '../schemas/parts.ts';
import { DateTime, json, type Routes } from './contract.ts';

/** What a tenant has used, and what it may use. */

const Count = Type.Integer({ minimum: 0 });
const Usd = Type.Number({ minimum: 0 });

const used = {
  inputTokens: Count,
  outputTokens: Count,
  toolCalls: Count,
  costUsd: Type.Optional(
    Type.Number({ minimum: 0, description: 'Estimated; without calls whose price is not known' }),
  ),
};

const Usage = Type.Object(
  {
    period: Type.Unsafe<BudgetPeriod>({ enum: [...BUDGET_PERIODS] }),
    from: DateTime,
    until: DateTime,
    used: Type.Object(used, closed),
    limits: Type.Object(
      {
        maxTokens: Type.Optional(
          Type.Integer({ minimum: 1, description: 'Input and output tokens together' }),
        ),
        maxCostUsd: Type.Optional(Usd),
        maxToolCalls: Type.Optional(Count),
      },
      { ...closed, description: 'Empty when the operator has set no limit' },
    ),
  },
  closed,
);

const UsageDay = Type.Object({ day: Type.String({ format: 'date' }), ...used }, closed);

export const USAGE_CONTRACTS = {
  readUsage: {
    method: 'GET',
    path: '/v1/usage',
    access: 'runs:read',
    idempotent: 'always',
    tag: 'runs',
    summary: 'What the tenant has used today and this month, and its limits',
    description:
      'Counts the model calls and tool calls of all runs of the tenant, failed calls too. A replay counts nothing, ' +
      'unless it asks the models again. Days and months begin at midnight in UTC.',
    responses: { 200: json(Type.Object({ tenant: Type.String(), periods: Type.Array(Usage) }, closed)) },
    refusals: [],
  },
  readUsageHistory: {
    method: 'GET',
    path: '/v1/usage/history',
    access: 'runs:read',
    idempotent: 'always',
    tag: 'runs',
    summary: 'What the tenant has used on each of the last days, and which agents used it',
    description:
      'Counts as `/v1/usage` does. `days` has every day from `from` to `until`, oldest first; the last one is today. With ' +
      '`by=agent`, `agents` has the 100 agents that used the most tokens in these days, each with the days on which it ' +
      'used something. Model calls of nodes without an agent belong to none, so the agents together can have used less ' +
      'than the tenant. Versions of the host before 0.3 did not count by agent.',
    query: Type.Object({
      days: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 366, description: 'How many days, with today; 30 when absent' }),
      ),
      by: Type.Optional(Type.Unsafe<'agent'>({ enum: ['agent'] })),
    }),
    responses: {
      200: json(
        Type.Object(
          {
            from: DateTime,
            until: DateTime,
            days: Type.Array(UsageDay),
            agents: Type.Optional(
              Type.Array(Type.Object({ agentId: Type.String(), days: Type.Array(UsageDay) }, closed)),
            ),
          },
          closed,
        ),
      ),
    },
    refusals: [],
  },
} as const satisfies Routes;
