import { isJsonObject, type JsonObject, type WorkflowNode } from '@baton/protocol';

/** One stage between a result and its use, such as `critic: vetted-report-critic`. */
export interface Stage {
  readonly name: 'attest' | 'critic' | 'approve';
  readonly text: string;
}

/** The stages in the order in which a host takes them. The config of a sub-workflow comes before its settings. */
export function gateStages({ config, settings }: WorkflowNode): readonly Stage[] {
  const given = (settings ?? {}) as JsonObject;
  const attestation = (config as JsonObject | undefined)?.outputAttestation ?? given.outputAttestation;
  const { verifier } = given;
  return [
    ...(isJsonObject(attestation) && attestation.checksum === true
      ? [{ name: 'attest', text: 'checksum' } as const]
      : []),
    ...(isJsonObject(verifier) ? [{ name: 'critic', text: criticText(verifier) } as const] : []),
    ...(isJsonObject(attestation) && attestation.requireApproval === true
      ? [{ name: 'approve', text: approversText(attestation) } as const]
      : []),
  ];
}

function criticText({ workflowId, criteria, maxRevisions }: JsonObject): string {
  const named = Array.isArray(criteria) && criteria.length > 0 ? ` (${criteria.join(', ')})` : '';
  const times = typeof maxRevisions === 'number' ? maxRevisions : 1;
  return `${String(workflowId)}${named}, ${times === 1 ? '1 revision' : `${times} revisions`}`;
}

/** How many people have to accept, and which ones. */
export function approversText({ requiredApprovals, approversList }: JsonObject): string {
  const count = typeof requiredApprovals === 'number' ? requiredApprovals : 1;
  const of =
    Array.isArray(approversList) && approversList.length > 0 ? ` of ${approversList.join(', ')}` : '';
  return `${count === 1 ? 'one person' : `${count} people`}${of}`;
}
