import type { Json, NodeSettings, RejectionPolicy, Verifier } from '@baton/protocol';
import type { AgentDefinition } from './agent-definition.ts';
import { idOf, type TypedWorkflow } from './workers.ts';

/** A workflow that declares `verdict`, an agent, or the id of one of them. */
export type CriticWorker =
  | string
  | AgentDefinition
  | TypedWorkflow<{ readonly verdict: 'string' | { readonly type: 'string' } }>;

/** A critic with its criteria. */
export interface Critic extends Omit<Verifier, 'workflowId'> {
  readonly run: CriticWorker;
}

/** How people approve. */
export interface Approval {
  readonly approversList?: readonly string[];
  readonly requiredApprovals?: number;
  readonly rejectionPolicy?: RejectionPolicy;
  readonly separationOfDuties?: boolean;
  readonly timeoutMs?: number;
}

/**
 * The merge gate: the checks between the outputs of a worker and the variables of this workflow. The stages are always
 * in this order, and each of them can only stop the merge.
 */
export interface Gate {
  /** Records a checksum of the outputs. */
  readonly attest?: boolean;
  /** Has to pass the outputs. */
  readonly critic?: CriticWorker | Critic;
  /** A person has to accept the outputs. */
  readonly approve?: boolean | Approval;
  /** The scopes that the worker has, at most. */
  readonly principalScope?: readonly string[];
}

/** The settings of a node that has this gate. */
export function gateSettings({ attest, critic, approve, principalScope }: Gate): NodeSettings {
  const attestation = {
    ...(attest && { checksum: true }),
    ...(approve && { requireApproval: true }),
    ...(principalScope && { principalScope }),
    ...(typeof approve === 'object' && approve),
  };
  return {
    ...(Object.keys(attestation).length > 0 && { outputAttestation: attestation as unknown as Json }),
    ...(critic !== undefined && { verifier: verifierOf(critic) as unknown as Json }),
  } as NodeSettings;
}

/** A critic as the settings of a node or of an agent name it. */
export function verifierOf(critic: CriticWorker | Critic): Verifier {
  if (typeof critic === 'string' || !('run' in critic)) return { workflowId: idOf(critic) };
  const { run, ...rest } = critic;
  return { workflowId: idOf(run), ...rest };
}
