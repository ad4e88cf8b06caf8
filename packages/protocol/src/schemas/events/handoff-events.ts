import Type from 'typebox';
import { CausationHostId } from '../across-hosts.ts';
import { Decision } from '../decision.ts';
import { Milliseconds, Ordinal } from '../numbers.ts';
import { AgentId, Checksum, closed, EndStatus, ErrorObject, Id } from '../parts.ts';

/** Events of a handoff: the decision of a supervisor, the transitions of its workers, and the merge gate. */

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

export const HANDOFF_EVENT_PAYLOADS = {
  'runOrchestrator.decided': Type.Object(
    { agentId: AgentId, decision: Decision, iteration: Ordinal, causationHostId: CausationHostId },
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
      causationHostId: CausationHostId,
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
      causationHostId: CausationHostId,
    },
    closed,
  ),
  /**
   * A critic was started as a child run. It judges the outputs of a worker, the decision of an agent or the result
   * of a tool call, and must answer within `timeoutMs`.
   */
  'baton.critic.started': Type.Object(
    {
      workerId: Id,
      /** The judged child run. Absent where `target` is present. */
      childRunId: Type.Optional(Id),
      /** The judged `agent.decided` event or tool call, as in `agent.verified`. */
      target: Type.Optional(Id),
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
      causationHostId: CausationHostId,
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
} as const;
