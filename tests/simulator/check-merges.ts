import type { JsonObject, RunEvent, WorkflowDefinition } from '@baton/protocol';
import type { World } from './world.ts';

/**
 * Reads a log and says which values of children were taken over without the permission that the definition of
 * the node asks for. It knows the rules of the gate from its documentation and shares no code with it.
 */
export async function mergesWithoutPermission(
  { reads }: World,
  events: readonly RunEvent[],
): Promise<readonly string[]> {
  const [first] = events;
  if (first?.type !== 'run.started') return ['does not begin with run.started'];
  const text = await reads.definition(first.payload.definition);
  const definition = JSON.parse(text ?? '{"nodes": []}') as WorkflowDefinition;
  const problems: string[] = [];
  for (const { id, config, settings } of definition.nodes) {
    const gate = { ...(settings as JsonObject), ...(config as JsonObject) } as GateSettings;
    if (gate.verifier === undefined && gate.outputAttestation?.requireApproval !== true) continue;
    problems.push(...mergesOf(id, gate, events));
  }
  return problems;
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

function mergesOf(nodeId: string, gate: GateSettings, events: readonly RunEvent[]): readonly string[] {
  const problems: string[] = [];
  let given = nothing();
  const isPermitted = () =>
    (gate.verifier === undefined || given.passed) &&
    (gate.outputAttestation?.requireApproval !== true ||
      given.overridden ||
      given.approvers.size >= (gate.outputAttestation.requiredApprovals ?? 1));
  for (const event of events) {
    if (event.nodeId !== nodeId) continue;
    note(given, event);
    const merges =
      event.type === 'variable.changed' || (event.type === 'baton.merge.settled' && event.payload.merged);
    if (merges && !isPermitted())
      problems.push(`node ${nodeId} merged at ${event.sequence} without permission`);
    if (event.type === 'baton.merge.settled' || event.type === 'node.started') given = nothing();
  }
  return problems;
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
