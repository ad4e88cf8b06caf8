import Type from 'typebox';
import { BUDGET_PERIODS, type BudgetPeriod } from '../schemas/agent.ts';
import { closed } from '../schemas/parts.ts';
import { DateTime, json, type RouteContract } from './contract.ts';

/** What a tenant has used, and what it may use. */

const Count = Type.Integer({ minimum: 0 });
const Usd = Type.Number({ minimum: 0 });

const Usage = Type.Object(
  {
    period: Type.Unsafe<BudgetPeriod>({ enum: [...BUDGET_PERIODS] }),
    from: DateTime,
    until: DateTime,
    used: Type.Object(
      {
        inputTokens: Count,
        outputTokens: Count,
        toolCalls: Count,
        costUsd: Type.Optional(
          Type.Number({ minimum: 0, description: 'Estimated; without calls whose price is not known' }),
        ),
      },
      closed,
    ),
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

const readUsage = {
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
} as const satisfies RouteContract;

export const USAGE_CONTRACTS = { readUsage } as const;
