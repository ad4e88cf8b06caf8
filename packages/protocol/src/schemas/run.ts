import Type from 'typebox';
import { RUN_STATUSES, type RunStatus } from '../status.ts';
import { AGENT_ID_PATTERN, Budget } from './agent.ts';
import { Goal } from './events/run-events.ts';
import { Count, Ordinal } from './numbers.ts';
import { Any, Bag, closed, ErrorObject } from './parts.ts';
import { AgentRef } from './workflow.ts';

/** Requests about runs, and their responses. */

export const Status = Type.Unsafe<RunStatus>({ enum: [...RUN_STATUSES] });

/**
 * Keys that the host reads. The `configurableSchema` of a workflow may restrict these keys and add others.
 */
export const Configurable = Type.Object(
  {
    recursionLimit: Type.Optional(Ordinal),
    runTimeoutMs: Type.Optional(Ordinal),
    maxLoopIterations: Type.Optional(Ordinal),
    /** The model that every model call of the run uses. */
    model: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
    escalationThreshold: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
    /** The provider and the model of all agents of the run, in place of those of their model classes. */
    ai: Type.Optional(
      Type.Object({
        provider: Type.Optional(Type.String({ pattern: '^[a-z][a-z0-9._-]*$', maxLength: 64 })),
        model: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
      }),
    ),
    budget: Type.Optional(Budget),
    /** How much of the reasoning of models the log keeps. */
    reasoningVerbosity: Type.Optional(
      Type.Unsafe<'summary' | 'full' | 'off'>({ enum: ['summary', 'full', 'off'] }),
    ),
  },
  { additionalProperties: true },
);
export type Configurable = Type.Static<typeof Configurable>;

export const Tags = Type.Array(Type.String({ minLength: 1, maxLength: 256 }), { maxItems: 100 });

/** Postgres cannot hold U+0000, so a name with it would be that of another memory scope there. */
export const ScopeId = Type.String({
  minLength: 1,
  maxLength: 256,
  pattern: '^[^\\u0000]*$',
});

export const CreateRun = Type.Object(
  {
    /** A run is of a workflow or of an agent: one of the two ids must be there. */
    workflowId: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
    agentId: Type.Optional(Type.String({ pattern: AGENT_ID_PATTERN, maxLength: 256 })),
    inputs: Type.Optional(Bag),
    configurable: Type.Optional(Configurable),
    tags: Type.Optional(Tags),
    metadata: Type.Optional(Bag),
    tenantId: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
    scopeId: Type.Optional(ScopeId),
  },
  closed,
);
export type CreateRun = Type.Static<typeof CreateRun>;

export const RunCreated = Type.Object({
  runId: Type.String(),
  status: Status,
  eventsUrl: Type.String(),
  statusUrl: Type.String(),
});
export type RunCreated = Type.Static<typeof RunCreated>;

const Reason = Type.Optional(Type.String({ maxLength: 1024 }));

export const CancelRun = Type.Object({ reason: Reason }, closed);
export const DRAIN_POLICIES = ['immediate', 'drain-current-node'] as const;
export type DrainPolicy = (typeof DRAIN_POLICIES)[number];
export const PauseRun = Type.Object(
  { reason: Reason, drainPolicy: Type.Optional(Type.Unsafe<DrainPolicy>({ enum: [...DRAIN_POLICIES] })) },
  closed,
);
export const ResumeRun = Type.Object({ reason: Reason }, closed);
export const EraseRun = Type.Object({ reason: Type.String({ minLength: 1, maxLength: 1024 }) }, closed);
export const MAX_BULK_CANCEL = 100;
export const BulkCancel = Type.Object(
  {
    runIds: Type.Array(Type.String({ minLength: 1, maxLength: 128 }), {
      minItems: 1,
      maxItems: MAX_BULK_CANCEL,
    }),
    reason: Reason,
  },
  closed,
);

export const FORK_MODES = ['replay', 'branch'] as const;
export type ForkMode = (typeof FORK_MODES)[number];

/** What a branch changes. `variables` are set before the branch goes on. */
export const RunOptionsOverlay = Type.Object(
  {
    configurable: Type.Optional(Configurable),
    tags: Type.Optional(Tags),
    metadata: Type.Optional(Bag),
    variables: Type.Optional(Bag),
  },
  closed,
);
export type RunOptionsOverlay = Type.Static<typeof RunOptionsOverlay>;

export const ForkRun = Type.Object(
  {
    mode: Type.Unsafe<ForkMode>({ enum: [...FORK_MODES] }),
    /** The fork begins with the source's events before this index. */
    fromSeq: Type.Optional(Count),
    runOptionsOverlay: Type.Optional(RunOptionsOverlay),
    /** `live`: a replay calls the models and compares. `recorded`: it uses the recorded answers. */
    models: Type.Optional(Type.Unsafe<'recorded' | 'live'>({ enum: ['recorded', 'live'] })),
  },
  closed,
);
export type ForkRun = Type.Static<typeof ForkRun>;

export const RetryRun = Type.Object({ runOptionsOverlay: Type.Optional(RunOptionsOverlay) }, closed);
export type RetryRun = Type.Static<typeof RetryRun>;

export const RunForked = Type.Object({
  runId: Type.String(),
  sourceRunId: Type.String(),
  /** Where the fork really begins: the last boundary of steps at or before the index that was asked for. */
  fromSeq: Type.Integer(),
  requestedFromSeq: Type.Optional(Type.Integer()),
  mode: Type.Unsafe<ForkMode>({ enum: [...FORK_MODES] }),
  status: Status,
  /** `recorded`: the fork uses recorded outcomes. `performed`: the fork performs effects. */
  effects: Type.Unsafe<'recorded' | 'performed'>({ enum: ['recorded', 'performed'] }),
  eventsUrl: Type.String(),
  statusUrl: Type.String(),
});
export type RunForked = Type.Static<typeof RunForked>;

export const ResolveInterrupt = Type.Object({ resumeValue: Any }, closed);

/** The answer to a question of a node. */
export const ResolveNodeInterrupt = Type.Object(
  {
    resumeValue: Any,
    interruptId: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 512,
        description: 'The question that is answered; another question of the same node is not',
      }),
    ),
  },
  closed,
);

export const RunUsage = Type.Object(
  {
    inputTokens: Count,
    outputTokens: Count,
    toolCalls: Count,
    /** Absent when no price was known. */
    costUsd: Type.Optional(Type.Number({ minimum: 0 })),
  },
  closed,
);
export type RunUsage = Type.Static<typeof RunUsage>;

export const RunSnapshot = Type.Object(
  {
    runId: Type.String(),
    workflowId: Type.String(),
    workflowVersion: Type.Integer(),
    status: Status,
    owner: Type.Object({ tenant: Type.String(), principal: Type.String() }, closed),
    currentNodeId: Type.Optional(Type.String()),
    startedAt: Type.String({ format: 'date-time' }),
    completedAt: Type.Optional(Type.String({ format: 'date-time' })),
    inputs: Bag,
    variables: Bag,
    channels: Type.Optional(Bag),
    nodeStates: Type.Record(Type.String(), Bag),
    error: Type.Optional(ErrorObject),
    agent: Type.Optional(AgentRef),
    runOrchestrator: Type.Optional(AgentRef),
    /** Whether the run reached its goal. `met: false` means that it gave up, although it completed. */
    goal: Type.Optional(Goal),
    /** What the run and its ended children have used. Absent while they have used nothing. */
    usage: Type.Optional(RunUsage),
    interrupt: Type.Optional(Bag),
    parentRunId: Type.Optional(Type.String()),
    parentNodeId: Type.Optional(Type.String()),
    childRuns: Type.Optional(Type.Array(Bag)),
    configurable: Type.Optional(Bag),
    tags: Type.Optional(Tags),
    metadata: Type.Optional(Bag),
    /** The W3C trace that the run and its children belong to. */
    traceId: Type.Optional(Type.String()),
    eventLogSchemaVersion: Type.Integer({ minimum: 2 }),
    lastSequence: Type.Integer({ minimum: 0 }),
    /** The contents of the run were erased. Only the columns of the list of runs are left. */
    erased: Type.Optional(Type.Boolean()),
    /** The tree of the run stopped the engine. It is not computed until an operator releases it. */
    held: Type.Optional(
      Type.Object({ since: Type.String({ format: 'date-time' }), reason: Type.String() }, closed),
    ),
    engineVersion: Type.String(),
  },
  { additionalProperties: true },
);
export type RunSnapshot = Type.Static<typeof RunSnapshot>;

export const ErrorEnvelope = Type.Object(
  { error: Type.String(), message: Type.String(), details: Type.Optional(Bag) },
  closed,
);
