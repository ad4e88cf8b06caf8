import type { JsonObject, RunEvent, WorkflowDefinition } from '@baton/protocol';
import type { Watch } from './watch.ts';

/**
 * Says which values of children were taken over without the permission that the definition of the node asks
 * for. It knows the rules of the gate from its documentation and shares no code with it.
 */
export function mergeWatch({ nodes }: Pick<WorkflowDefinition, 'nodes'>): Watch {
  const gates = new Map<string, Watch>();
  for (const { id, config, settings } of nodes) {
    const gate = { ...(settings as JsonObject), ...(config as JsonObject) } as GateSettings;
    if (gate.verifier === undefined && gate.outputAttestation?.requireApproval !== true) continue;
    gates.set(id, gateWatch(id, gate));
  }
  return (event) => gates.get(event.nodeId ?? '')?.(event) ?? [];
}

interface GateSettings {
  readonly verifier?: object;
  readonly outputAttestation?: { readonly requireApproval?: boolean; readonly requiredApprovals?: number };
}

/** What was permitted for the child that is at the gate now. */
interface Permission {
  passed: boolean;
  readonly approvers: Set<string>;
  overridden: boolean;
}

function gateWatch(nodeId: string, { verifier, outputAttestation }: GateSettings): Watch {
  let given = nothing();
  const isPermitted = () =>
    (verifier === undefined || given.passed) &&
    (outputAttestation?.requireApproval !== true ||
      given.overridden ||
      given.approvers.size >= (outputAttestation.requiredApprovals ?? 1));
  return (event) => {
    note(given, event);
    const merges =
      event.type === 'variable.changed' || (event.type === 'baton.merge.settled' && event.payload.merged);
    const problems =
      merges && !isPermitted() ? [`node ${nodeId} merged at ${event.sequence} without permission`] : [];
    if (event.type === 'baton.merge.settled' || event.type === 'node.started') given = nothing();
    return problems;
  };
}

function nothing(): Permission {
  return { passed: false, approvers: new Set(), overridden: false };
}

function note(given: Permission, event: RunEvent): void {
  if (event.type === 'agent.verified') given.passed = event.payload.verdict === 'pass';
  if (event.type === 'approval.overridden') given.overridden = true;
  if (event.type !== 'approval.received' || event.payload.decidedBy === undefined) return;
  const { action, decidedBy } = event.payload;
  if (action === 'accept' || action === 'edit-accept') given.approvers.add(decidedBy);
}
