import Type from 'typebox';
import { RunOrigin } from '../across-hosts.ts';
import { BUDGET_PERIODS, type BudgetPeriod } from '../agent.ts';
import { SuccessCriterion } from '../decision.ts';
import { Count, Ordinal } from '../numbers.ts';
import { Bag, Checksum, closed, ErrorObject, Id } from '../parts.ts';
import { RunLimits } from '../run-limits.ts';
import { AgentRef } from '../workflow.ts';
import { AGENT_CHECKS, type AgentCheck } from './agent-events.ts';
import { MemoryLayer } from './memory-events.ts';

/** Events of a whole run: how it began, paused and ended, and which limit it reached. */

/** Whether a run reached its goal. `met: false` means that it gave up. */
export const Goal = Type.Object(
  { met: Type.Boolean(), criteria: Type.Optional(Type.Array(SuccessCriterion)) },
  closed,
);
export type Goal = Type.Static<typeof Goal>;

export const CAP_KINDS = [
  'node-executions',
  'run-duration',
  'loop-iterations',
  'dispatch-iterations',
  /** Attempts to get a usable answer from a model. */
  'schema',
  'budget-tokens',
  'budget-cost',
  'budget-tool-calls',
] as const;
export type CapKind = (typeof CAP_KINDS)[number];

export const BUDGET_DIMENSIONS = ['tokens', 'cost', 'toolCalls'] as const;
export type BudgetDimension = (typeof BUDGET_DIMENSIONS)[number];

/** How much of one dimension of a budget is used. */
const BUDGET_USE = {
  dimension: Type.Unsafe<BudgetDimension>({ enum: [...BUDGET_DIMENSIONS] }),
  consumed: Type.Number({ minimum: 0 }),
  limit: Type.Number({ minimum: 0 }),
} as const;

export const RUN_EVENT_PAYLOADS = {
  'run.started': Type.Object(
    {
      workflowId: Id,
      workflowVersion: Ordinal,
      definition: Checksum,
      inputs: Bag,
      variables: Bag,
      owner: Type.Object({ tenant: Id, principal: Id }, closed),
      limits: RunLimits,
      configurable: Type.Optional(Bag),
      tags: Type.Optional(Type.Array(Type.String())),
      metadata: Type.Optional(Bag),
      scopeId: Type.Optional(Id),
      traceparent: Type.Optional(Id),
      parentRunId: Type.Optional(Id),
      parentNodeId: Type.Optional(Id),
      lineage: Type.Optional(Type.Array(Id)),
      /** The run of another host that asked for this run. */
      origin: Type.Optional(RunOrigin),
      role: Type.Optional(Type.Literal('critic')),
      agent: Type.Optional(AgentRef),
      /** How a run of an agent was started; absent for a run of a workflow. */
      source: Type.Optional(Type.Unsafe<'run-api' | 'chat-mention'>({ enum: ['run-api', 'chat-mention'] })),
      chainEvents: Type.Optional(Type.Boolean()),
      /** The checks of agents that the run makes for its whole life; a run without a list makes all of them. */
      agentChecks: Type.Optional(Type.Array(Type.Unsafe<AgentCheck>({ enum: [...AGENT_CHECKS] }))),
      /** The permissions of the run. A run without this field is not restricted. */
      scopes: Type.Optional(Type.Array(Id)),
      /** The memory layers that a child starts with; for a root with a `scopeId`, that memory scope. */
      memoryBase: Type.Optional(Type.Array(MemoryLayer)),
      /** The workspace and its version at the start of the run. */
      workspace: Type.Optional(MemoryLayer),
    },
    closed,
  ),
  'run.paused': Type.Object({ reason: Type.Optional(Type.String()), by: Type.Optional(Id) }, closed),
  /** A pause was accepted. The run pauses once the running nodes have ended. */
  'baton.run.draining': Type.Object({ reason: Type.Optional(Type.String()), by: Type.Optional(Id) }, closed),
  'run.resumed': Type.Object({ by: Type.Optional(Id) }, closed),
  'run.completed': Type.Object({ goal: Type.Optional(Goal) }, closed),
  'run.failed': Type.Object({ error: ErrorObject, failedNodeId: Type.Optional(Id) }, closed),
  'run.cancelled': Type.Object(
    {
      reason: Type.Optional(Type.String()),
      cancelledBy: Type.Optional(Id),
      parentRunId: Type.Optional(Id),
    },
    closed,
  ),
  /** A budget begins to hold: that of a run when the run starts, that of an agent when it is first invoked. */
  'budget.reserved': Type.Object(
    {
      effectiveBudget: Type.Object(
        {
          maxTokens: Type.Optional(Count),
          maxCostUsd: Type.Optional(Type.Number({ minimum: 0 })),
          maxToolCalls: Type.Optional(Count),
        },
        closed,
      ),
      scope: Type.Unsafe<'run' | 'agent'>({ enum: ['run', 'agent'] }),
    },
    closed,
  ),
  /** Another tenth of one dimension of a budget is used. */
  'budget.consumed': Type.Object({ ...BUDGET_USE, remaining: Type.Number({ minimum: 0 }) }, closed),
  /** The use of one dimension of a budget has reached its `thresholdPercent`. */
  'budget.threshold.crossed': Type.Object(
    { ...BUDGET_USE, percent: Type.Number({ minimum: 0, maximum: 100 }) },
    closed,
  ),
  /** One dimension of the budget of the run, of an agent or of the tenant is used up. */
  'budget.exhausted': Type.Object(BUDGET_USE, closed),
  /** What a child used. It counts for the budget of its parent too. */
  'baton.usage.carried': Type.Object(
    {
      childRunId: Id,
      inputTokens: Count,
      outputTokens: Count,
      toolCalls: Count,
      costUsd: Type.Optional(Type.Number({ minimum: 0 })),
    },
    closed,
  ),
  'cap.breached': Type.Object(
    {
      kind: Type.Unsafe<CapKind>({ enum: [...CAP_KINDS] }),
      /** Whole numbers, except for `budget-cost`, which counts dollars. */
      limit: Type.Number({ minimum: 0 }),
      observed: Type.Number({ minimum: 0 }),
      nodeId: Type.Optional(Id),
      /** Whose budget is used up, if it is not that of the run. */
      scope: Type.Optional(Type.Unsafe<'agent' | 'tenant'>({ enum: ['agent', 'tenant'] })),
      /** The period of the budget of a tenant. */
      period: Type.Optional(Type.Unsafe<BudgetPeriod>({ enum: [...BUDGET_PERIODS] })),
    },
    closed,
  ),
} as const;
