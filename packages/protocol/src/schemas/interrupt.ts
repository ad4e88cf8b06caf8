import Type from 'typebox';
import { Milliseconds, Ordinal } from './numbers.ts';
import { AgentId, Any, Bag, closed } from './parts.ts';

/** Interrupts: what a run asks a person or another system, and the possible answers. */

export const APPROVAL_ACTIONS = ['accept', 'reject', 'refine', 'edit-accept', 'ask'] as const;
export type ApprovalAction = (typeof APPROVAL_ACTIONS)[number];

export const REJECTION_POLICIES = ['single-veto', 'majority'] as const;
export type RejectionPolicy = (typeof REJECTION_POLICIES)[number];

export const ApprovalData = Type.Object({
  artifactId: Type.String({ minLength: 1 }),
  artifactType: Type.String({ minLength: 1 }),
  title: Type.String(),
  description: Type.Optional(Type.String()),
  artifactData: Type.Optional(Any),
  actions: Type.Array(Type.Unsafe<ApprovalAction>({ enum: [...APPROVAL_ACTIONS] }), {
    minItems: 1,
    uniqueItems: true,
  }),
  requiredApprovals: Type.Optional(Ordinal),
  approversList: Type.Optional(Type.Array(Type.String())),
  rejectionPolicy: Type.Optional(Type.Unsafe<RejectionPolicy>({ enum: [...REJECTION_POLICIES] })),
  profile: Type.Optional(Type.String()),
  /** The digest of the artifact, so that an approver can compare it. */
  attestation: Type.Optional(Type.Object({ checksum: Type.String(), algorithm: Type.String() })),
  /** A critic passed the artifact with a confidence below the floor of the host. */
  belowFloor: Type.Optional(
    Type.Object(
      { confidence: Type.Number({ minimum: 0, maximum: 1 }), floor: Type.Number({ minimum: 0, maximum: 1 }) },
      closed,
    ),
  ),
  /** Votes are counted by the principal of the key. The name in the answer is ignored. */
  votersByPrincipal: Type.Optional(Type.Boolean()),
  /** The principal who started the run may not answer. */
  separationOfDuties: Type.Optional(Type.Boolean()),
  /**
   * A person who may override settles the approval alone. The quorum and the list of approvers are ignored.
   */
  overrideBypassesQuorum: Type.Optional(Type.Boolean()),
});
export type ApprovalData = Type.Static<typeof ApprovalData>;

export const Question = Type.Object(
  {
    id: Type.String({ minLength: 1 }),
    question: Type.String({ minLength: 1 }),
    schema: Type.Optional(Bag),
  },
  closed,
);
export type Question = Type.Static<typeof Question>;

export const ClarificationData = Type.Object(
  { questions: Type.Array(Question, { minItems: 1 }), contextType: Type.Optional(Type.String()) },
  closed,
);
export type ClarificationData = Type.Static<typeof ClarificationData>;

export const ExternalEventData = Type.Object({ eventType: Type.String(), correlation: Bag }, closed);
export type ExternalEventData = Type.Static<typeof ExternalEventData>;

const CustomData = Type.Object(
  { customKind: Type.String({ minLength: 1 }), payload: Type.Optional(Any) },
  closed,
);

export const LowConfidenceData = Type.Object(
  {
    agentId: AgentId,
    threshold: Type.Number({ minimum: 0, maximum: 1 }),
    observed: Type.Number({ minimum: 0, maximum: 1 }),
    decision: Type.Optional(Any),
  },
  closed,
);
export type LowConfidenceData = Type.Static<typeof LowConfidenceData>;

const base = {
  key: Type.String({ minLength: 1, maxLength: 256 }),
  resumeSchema: Type.Optional(Bag),
  timeoutMs: Type.Optional(Milliseconds),
};

export const SuspendRequest = Type.Union([
  Type.Object({ kind: Type.Literal('approval'), ...base, data: ApprovalData }, closed),
  Type.Object({ kind: Type.Literal('clarification'), ...base, data: ClarificationData }, closed),
  Type.Object({ kind: Type.Literal('external-event'), ...base, data: ExternalEventData }, closed),
  Type.Object({ kind: Type.Literal('custom'), ...base, data: CustomData }, closed),
  Type.Object({ kind: Type.Literal('low-confidence'), ...base, data: LowConfidenceData }, closed),
]);
export type SuspendRequest = Type.Static<typeof SuspendRequest>;
export type InterruptKind = SuspendRequest['kind'];

const REFINE_SCOPES = ['whole', 'section', 'items'] as const;

export const ApprovalAnswer = Type.Object({
  action: Type.Unsafe<ApprovalAction>({ enum: [...APPROVAL_ACTIONS] }),
  voter: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
  comment: Type.Optional(Type.String()),
  feedback: Type.Optional(Type.String()),
  question: Type.Optional(Type.String({ minLength: 1 })),
  refineFeedback: Type.Optional(
    Type.Object({
      scope: Type.Unsafe<(typeof REFINE_SCOPES)[number]>({ enum: [...REFINE_SCOPES] }),
      text: Type.Optional(Type.String()),
    }),
  ),
  editedArtifactData: Type.Optional(Any),
  override: Type.Optional(Type.Boolean()),
  reason: Type.Optional(Type.String({ maxLength: 1024 })),
});
export type ApprovalAnswer = Type.Static<typeof ApprovalAnswer>;

export const ClarificationAnswer = Type.Object({ answers: Bag });
export type ClarificationAnswer = Type.Static<typeof ClarificationAnswer>;
