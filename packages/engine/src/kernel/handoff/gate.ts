import {
  type JsonObject,
  MAX_WAIT_MS,
  REJECTION_POLICIES,
  type RejectionPolicy,
  ScopeName,
  type ToolVerifiers,
  type Verifier,
  type WorkflowNode,
} from '@baton/protocol';
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

/**
 * The merge gate of a node, if it has one. The config of a sub-workflow node takes precedence over its
 * settings.
 */
export function gateOf(node: Pick<PlanNode, 'config' | 'node'>): Gate | undefined {
  const settings = (node.node.settings ?? {}) as JsonObject;
  const attestation = (node.config.outputAttestation ?? settings.outputAttestation) as
    | OutputAttestation
    | undefined;
  const { verifier } = criticsIn(node.node);
  if (attestation === undefined && verifier === undefined) return undefined;
  return { ...(attestation && { attestation }), ...(verifier && { verifier }) };
}

interface Critics {
  readonly verifier?: Verifier;
  readonly toolVerifiers?: ToolVerifiers;
}

/** The critics that the settings of a node name. They were checked when the workflow was registered. */
export function criticsIn({ settings = {} }: Pick<WorkflowNode, 'settings'>): Critics {
  const { verifier, toolVerifiers } = settings as JsonObject;
  return {
    ...(verifier !== undefined && { verifier: verifier as unknown as Verifier }),
    ...(toolVerifiers !== undefined && { toolVerifiers: toolVerifiers as unknown as ToolVerifiers }),
  };
}
