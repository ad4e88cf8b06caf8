import Type from 'typebox';
import { SuspendRequest } from '../interrupt.ts';
import { Count, Ordinal } from '../numbers.ts';
import { Any, Bag, closed, Id } from '../parts.ts';

/** Events about questions to people and to the outside, and about their answers. */

export const INTERRUPT_EVENT_PAYLOADS = {
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
} as const;
