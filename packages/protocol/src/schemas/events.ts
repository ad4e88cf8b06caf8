import Type from 'typebox';
import type { RunError } from '../errors.ts';
import type { Json } from '../json.ts';
import type { TerminalStatus } from '../status.ts';
import { Decision, SuccessCriterion } from './decision.ts';
import { FORK_EVENT_PAYLOADS } from './fork-events.ts';
import { SuspendRequest } from './interrupt.ts';
import { MEMORY_EVENT_PAYLOADS, MemoryLayer } from './memory-events.ts';
import { MODEL_EVENT_PAYLOADS } from './model-events.ts';
import { Count, Milliseconds, Ordinal } from './numbers.ts';
import { RunLimits } from './run-limits.ts';
import { AgentRef } from './workflow.ts';

/**
 * Every event type that this host writes, with the schema of its payload. The log holds no other events, and
 * the state of a run is computed only from these.
 */

const closed = { additionalProperties: false };
const Any = Type.Unsafe<Json>({});
const Bag = Type.Unsafe<Readonly<Record<string, Json>>>({ type: 'object' });
const Id = Type.String({ minLength: 1 });
const AgentId = Type.String({ minLength: 3, maxLength: 256 });

export const ErrorObject = Type.Unsafe<RunError>({
  type: 'object',
  required: ['code', 'message'],
  properties: {
    code: { type: 'string', minLength: 1 },
    message: { type: 'string', minLength: 1 },
    details: { type: 'object' },
  },
  additionalProperties: false,
});

const EndStatus = Type.Unsafe<TerminalStatus>({ enum: ['completed', 'failed', 'cancelled'] });
const Checksum = Type.String({ pattern: '^[0-9a-f]{64}$' });

/** An effect as it was intended, before it was performed. */
export const EffectIntent = Type.Object(
  {
    kind: Type.String({ minLength: 1 }),
    request: Any,
    /** The key of a model request (see llm-cache-key.ts). Equal requests have the same key on every host. */
    cacheKey: Type.Optional(Checksum),
    /** How often a model may be asked before the node fails for lack of a usable answer. */
    attempts: Type.Optional(Ordinal),
  },
  closed,
);
export type EffectIntent = Type.Static<typeof EffectIntent>;

/** The inputs of a supervisor's turn, as references from which all of them can be read again. */
export const TurnInputs = Type.Object(
  {
    memory: Type.Optional(MemoryLayer),
    workspace: Type.Optional(MemoryLayer),
    transcript: Type.Object({ from: Count, to: Count }, closed),
    /** Workers that gave up, or whose outputs a critic turned down, and that have not done better since. */
    goalsNotMet: Type.Optional(Type.Array(Id)),
  },
  closed,
);
export type TurnInputs = Type.Static<typeof TurnInputs>;

export const CHAIN_PHASES = [
  'dispatch.began',
  'dispatch.succeeded',
  'dispatch.failed',
  'child.completed',
  'child.failed',
  'child.cancelled',
  'output.harvested',
] as const;
export type ChainPhase = (typeof CHAIN_PHASES)[number];

/** A digest of the outputs of a child. It does not contain the outputs. */
export const Attestation = Type.Object({ checksum: Checksum, algorithm: Type.Literal('sha256') }, closed);
export type Attestation = Type.Static<typeof Attestation>;

export const VERDICTS = ['pass', 'fail', 'revise'] as const;
export type Verdict = (typeof VERDICTS)[number];

export const MERGE_REASONS = [
  'no-objection',
  'verdict-passed',
  'approved',
  'edited',
  'verdict-failed',
  'rejected',
  'expired',
  /** The run or the node was stopped while the outputs were at the gate. */
  'stopped',
] as const;
export type MergeReason = (typeof MERGE_REASONS)[number];

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
] as const;
export type CapKind = (typeof CAP_KINDS)[number];

export const EVENT_PAYLOADS = {
  'run.started': Type.Object(
    {
      workflowId: Id,
      workflowVersion: Ordinal,
      definition: Type.String({ pattern: '^[0-9a-f]{64}$' }),
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
      role: Type.Optional(Type.Literal('critic')),
      agent: Type.Optional(AgentRef),
      chainEvents: Type.Optional(Type.Boolean()),
      /** The permissions of the run. A run without this field is not restricted. */
      scopes: Type.Optional(Type.Array(Id)),
      /** The memory layers that a child starts with; for a root with a `scopeId`, that memory scope. */
      memoryBase: Type.Optional(Type.Array(MemoryLayer)),
      /** The workspace and its version at the start of the run. */
      workspace: Type.Optional(MemoryLayer),
      /** Which rules the run goes by for its whole life; a run without a number has those of version 0.3. */
      rules: Type.Optional(Type.Literal(1)),
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
  'node.started': Type.Object(
    {
      nodeId: Id,
      typeId: Id,
      attempt: Ordinal,
      waitMs: Type.Optional(Milliseconds),
      timeoutMs: Type.Optional(Milliseconds),
      effect: Type.Optional(EffectIntent),
      /** The worker of a sub-workflow whose outputs pass a gate. */
      handsTo: Type.Optional(Id),
      /** The inputs of a supervisor's turn. */
      turn: Type.Optional(TurnInputs),
    },
    closed,
  ),
  'node.completed': Type.Object({ nodeId: Id, outputs: Type.Optional(Bag) }, closed),
  'node.failed': Type.Object({ nodeId: Id, error: ErrorObject, attempts: Type.Optional(Ordinal) }, closed),
  'node.retried': Type.Object(
    { nodeId: Id, attempt: Ordinal, delayMs: Milliseconds, lastError: ErrorObject },
    closed,
  ),
  'node.skipped': Type.Object({ nodeId: Id, reason: Type.Optional(Type.String()) }, closed),
  'node.cancelled': Type.Object({ nodeId: Id, reason: Type.Optional(Type.String()) }, closed),
  'node.suspended': Type.Object(
    {
      nodeId: Id,
      interruptId: Id,
      kind: Type.Unsafe<SuspendRequest['kind']>({ type: 'string' }),
      key: Id,
      reason: Type.Optional(Type.String()),
      agentId: Type.Optional(AgentId),
      threshold: Type.Optional(Type.Number()),
      observed: Type.Optional(Type.Number()),
    },
    closed,
  ),
  'node.resumed': Type.Object({ nodeId: Id, interruptId: Id }, closed),
  'node.dispatched': Type.Object({ childRunId: Id, childWorkflowId: Id }, closed),
  'interrupt.requested': SuspendRequest,
  'interrupt.resolved': Type.Object(
    {
      nodeId: Id,
      interruptId: Id,
      kind: Type.Unsafe<SuspendRequest['kind']>({ type: 'string' }),
      outcome: Type.Unsafe<'answered' | 'rejected' | 'timeout' | 'withdrawn'>({
        enum: ['answered', 'rejected', 'timeout', 'withdrawn'],
      }),
      resumeValue: Type.Optional(Any),
      resolvedBy: Type.Optional(Id),
    },
    closed,
  ),
  'approval.received': Type.Object(
    {
      nodeId: Id,
      interruptId: Id,
      action: Type.Unsafe<'accept' | 'reject' | 'refine' | 'edit-accept' | 'timeout'>({
        enum: ['accept', 'reject', 'refine', 'edit-accept', 'timeout'],
      }),
      decidedBy: Type.Optional(Id),
      voter: Type.Optional(Id),
      comment: Type.Optional(Type.String()),
      feedback: Type.Optional(Type.String()),
      refineFeedback: Type.Optional(Bag),
      editedArtifactData: Type.Optional(Any),
    },
    closed,
  ),
  'approval.granted': Type.Object(
    {
      gateId: Id,
      principal: Id,
      quorumProgress: Type.Object({ granted: Count, required: Ordinal }, closed),
    },
    closed,
  ),
  'approval.rejected': Type.Object(
    { gateId: Id, principal: Id, reason: Type.Optional(Type.String()) },
    closed,
  ),
  /** A person with the scope `approvals:override` settled an approval alone and gave a reason. */
  'approval.overridden': Type.Object({ gateId: Id, principal: Id, reason: Id }, closed),
  'authorization.decided': Type.Object(
    {
      principal: Id,
      action: Id,
      resource: Id,
      allowed: Type.Boolean(),
      reason: Type.Optional(Type.String()),
    },
    closed,
  ),
  'clarification.requested': Type.Object(
    {
      nodeId: Id,
      interruptId: Id,
      questions: Type.Array(Type.Object({ id: Id, question: Id }, closed)),
      askedBy: Type.Optional(Id),
    },
    closed,
  ),
  'clarification.resolved': Type.Object(
    { nodeId: Id, interruptId: Id, answers: Bag, answeredBy: Type.Optional(Id) },
    closed,
  ),
  'channel.written': Type.Object(
    {
      channel: Type.String({ minLength: 1, maxLength: 256 }),
      value: Any,
      reducer: Type.String(),
      nodeId: Type.Optional(Id),
      writtenAt: Type.String({ format: 'date-time' }),
    },
    closed,
  ),
  /** Entries were removed from a channel because of its age or size limit. The newest `keep` entries stay. */
  'baton.channel.trimmed': Type.Object({ channel: Id, keep: Count }, closed),
  'variable.changed': Type.Object({ name: Id, next: Type.Optional(Any), nodeId: Type.Optional(Id) }, closed),
  ...MEMORY_EVENT_PAYLOADS,
  ...FORK_EVENT_PAYLOADS,
  ...MODEL_EVENT_PAYLOADS,
  'cap.breached': Type.Object(
    {
      kind: Type.Unsafe<CapKind>({ enum: [...CAP_KINDS] }),
      limit: Count,
      observed: Count,
      nodeId: Type.Optional(Id),
    },
    closed,
  ),
  'runOrchestrator.decided': Type.Object(
    { agentId: AgentId, decision: Decision, iteration: Ordinal },
    closed,
  ),
  'core.workflowChain.event': Type.Object(
    {
      phase: Type.Unsafe<ChainPhase>({ enum: [...CHAIN_PHASES] }),
      workerId: Id,
      parentRunId: Id,
      childRunId: Type.Optional(Id),
      harvestedKeys: Type.Optional(Type.Array(Type.String())),
      attestation: Type.Optional(Attestation),
      error: Type.Optional(ErrorObject),
    },
    closed,
  ),
  /**
   * The confidence of a decision is below the floor. A person is asked before the decision is carried out.
   */
  'core.workflowChain.confidence-escalated': Type.Object(
    {
      confidence: Type.Number({ minimum: 0, maximum: 1 }),
      floor: Type.Number({ minimum: 0.5, maximum: 1 }),
      escalationKind: Type.Unsafe<'clarify' | 'escalate'>({ enum: ['clarify', 'escalate'] }),
      workerId: Type.Optional(Id),
      parentRunId: Id,
      originalDecision: Type.Optional(Decision),
    },
    closed,
  ),
  /**
   * A critic was started as a child run to judge the outputs of a worker. It must answer within `timeoutMs`.
   */
  'baton.critic.started': Type.Object(
    {
      workerId: Id,
      childRunId: Id,
      criticRunId: Id,
      attempt: Ordinal,
      timeoutMs: Milliseconds,
      /** Who did the work, named by the same rule as the critic in `agent.verified`. */
      actorId: Type.Optional(AgentId),
    },
    closed,
  ),
  'agent.verified': Type.Object(
    {
      agentId: AgentId,
      target: Id,
      verdict: Type.Unsafe<Verdict>({ enum: [...VERDICTS] }),
      criteria: Type.Optional(Type.Array(Id, { uniqueItems: true })),
      confidence: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
    },
    closed,
  ),
  /** The merge gate has decided: the outputs of a worker were merged into the parent, or never will be. */
  'baton.merge.settled': Type.Object(
    {
      workerId: Id,
      childRunId: Id,
      merged: Type.Boolean(),
      why: Type.Unsafe<MergeReason>({ enum: [...MERGE_REASONS] }),
      attestation: Type.Optional(Attestation),
      editedChecksum: Type.Optional(Checksum),
      verdict: Type.Optional(Type.Unsafe<Verdict>({ enum: [...VERDICTS] })),
    },
    closed,
  ),
  /** How a child ended that no node waits for, or that completed without having met its goal. */
  'baton.child.ended': Type.Object(
    {
      childRunId: Id,
      childWorkflowId: Id,
      status: EndStatus,
      goalMet: Type.Optional(Type.Literal(false)),
    },
    closed,
  ),
  /** Stands in for the chain events while the execution model is switched off. */
  'baton.worker.settled': Type.Object(
    {
      workerId: Id,
      childRunId: Type.Optional(Id),
      status: EndStatus,
      error: Type.Optional(ErrorObject),
    },
    closed,
  ),
  'agent.reasoned': Type.Object(
    { agentId: AgentId, reasoning: Type.String(), verbosity: Type.Optional(Type.String()) },
    closed,
  ),
  'agent.reasoning.delta': Type.Object({ agentId: AgentId, delta: Type.String(), sequence: Count }, closed),
  'agent.toolCalled': Type.Object(
    { agentId: AgentId, toolName: Id, callId: Id, inputs: Type.Optional(Any) },
    closed,
  ),
  'agent.toolReturned': Type.Object(
    {
      agentId: AgentId,
      toolName: Id,
      callId: Id,
      status: Type.Unsafe<'ok' | 'error'>({ enum: ['ok', 'error'] }),
      outcome: Type.Optional(Any),
      error: Type.Optional(ErrorObject),
      durationMs: Type.Optional(Milliseconds),
    },
    closed,
  ),
  'agent.handoff': Type.Object(
    { fromAgentId: AgentId, toAgentId: AgentId, reason: Type.Optional(Type.String()) },
    closed,
  ),
  'agent.decided': Type.Object(
    { agentId: AgentId, decision: Any, confidence: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })) },
    closed,
  ),
} as const;

export type EventType = keyof typeof EVENT_PAYLOADS;
export type PayloadOf<T extends EventType> = Type.Static<(typeof EVENT_PAYLOADS)[T]>;

export const EVENT_TYPES = Object.keys(EVENT_PAYLOADS) as readonly EventType[];

interface Envelope<T extends EventType> {
  readonly eventId: string;
  readonly runId: string;
  readonly sequence: number;
  readonly timestamp: string;
  readonly type: T;
  readonly nodeId?: string;
  readonly causationId?: string;
  readonly payload: PayloadOf<T>;
}

/** One event of a log, discriminated by `type`. */
export type RunEvent = { [T in EventType]: Envelope<T> }[EventType];
export type EventOf<T extends EventType> = Extract<RunEvent, { type: T }>;

/** The envelope as JSON Schema, for the API description and for checking whole events. */
export const RunEventSchema = Type.Object({
  eventId: Type.String({ minLength: 1, maxLength: 160 }),
  runId: Type.String({ minLength: 1, maxLength: 128 }),
  sequence: Count,
  timestamp: Type.String({ format: 'date-time' }),
  type: Type.Unsafe<EventType>({ enum: [...EVENT_TYPES] }),
  nodeId: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
  causationId: Type.Optional(Id),
  payload: Type.Unsafe<Json>({ type: 'object' }),
});
