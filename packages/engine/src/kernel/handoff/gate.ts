import { type JsonObject, MAX_WAIT_MS, REJECTION_POLICIES, type RejectionPolicy } from '@baton/protocol';
import Type from 'typebox';
import type { PlanNode } from '../graph/plan.ts';

/**
 * The merge gate between the outputs of a worker and its parent. Its stages are attest, verify, approve and
 * merge, always in this order. Each stage is optional and can only stop the merge.
 */
export interface Gate {
  readonly attestation?: OutputAttestation;
  readonly verifier?: Verifier;
}

const closed = { additionalProperties: false };
/** A name that is not a scope of this host grants nothing. The registration returns a warning for it. */
const ScopeName = Type.String({ minLength: 1, maxLength: 256 });

export const OutputAttestation = Type.Object(
  {
    checksum: Type.Optional(Type.Boolean()),
    algorithm: Type.Optional(Type.Literal('sha256')),
    requireApproval: Type.Optional(Type.Boolean()),
    principalScope: Type.Optional(Type.Array(ScopeName)),
    separationOfDuties: Type.Optional(Type.Boolean()),
    approversList: Type.Optional(Type.Array(Type.String({ minLength: 1 }))),
    requiredApprovals: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
    rejectionPolicy: Type.Optional(Type.Unsafe<RejectionPolicy>({ enum: [...REJECTION_POLICIES] })),
    timeoutMs: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_WAIT_MS })),
  },
  closed,
);
export type OutputAttestation = Type.Static<typeof OutputAttestation>;

export const Verifier = Type.Object(
  {
    /** A workflow or an agent. */
    workflowId: Type.String({ minLength: 1, maxLength: 256 }),
    criteria: Type.Optional(Type.Array(Type.String({ minLength: 1 }), { uniqueItems: true, maxItems: 100 })),
    maxRevisions: Type.Optional(Type.Integer({ minimum: 0, maximum: 100 })),
    timeoutMs: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_WAIT_MS })),
    principalScope: Type.Optional(Type.Array(ScopeName)),
  },
  closed,
);
export type Verifier = Type.Static<typeof Verifier>;

/**
 * The merge gate of a node, if it has one. The config of a sub-workflow node takes precedence over its
 * settings.
 */
export function gateOf(node: Pick<PlanNode, 'config' | 'node'>): Gate | undefined {
  const settings = (node.node.settings ?? {}) as JsonObject;
  const attestation = (node.config.outputAttestation ?? settings.outputAttestation) as
    | OutputAttestation
    | undefined;
  const verifier = settings.verifier as Verifier | undefined;
  if (attestation === undefined && verifier === undefined) return undefined;
  return { ...(attestation && { attestation }), ...(verifier && { verifier }) };
}
