import { canonicalJson, type Json, type JsonObject, type WorkflowDefinition } from '@baton/protocol';
import { attest, handedOver } from '../kernel/handoff/attestation.ts';
import { effectiveMapping, type Mapping } from '../kernel/handoff/mapping.ts';
import { endStatus, type Run } from '../kernel/run.ts';
import { isSealed } from '../kernel/secrecy/sealed.ts';
import type { Change, GatedHandoff, GateOutcome, HandoffReader, RecordedVerdict } from './gated-handoffs.ts';

/** Recomputes from the logs what a parent recorded about its children, and says what still agrees. */

/** One handoff that came to a gate, with what a recomputation makes of it. */
export interface AuditedMerge {
  readonly nodeId: string;
  readonly workerId: string;
  readonly childRunId: string;
  readonly merged: boolean;
  readonly why: GateOutcome;
  readonly approvedBy: readonly string[];
  readonly verdict?: RecordedVerdict;
  /** As recorded on the parent; absent where nobody asked for one. */
  readonly checksum?: string;
  /** From the child's own log; absent when that log cannot be read back to a completed run. */
  readonly recomputed?: string;
  readonly editedChecksum?: string;
  readonly recomputedEdit?: string;
  /** Absent where there is nothing recorded to compare with. */
  readonly matches?: boolean;
  readonly variables: readonly VouchedVariable[];
}

/** A variable of the parent that the merge wrote. */
export interface VouchedVariable {
  readonly name: string;
  /** What the child called it. */
  readonly from: string;
  /** The value is the one that was handed over, or the person's edit of it. */
  readonly matches: boolean;
  /** False when something else has written the variable since. */
  readonly current: boolean;
}

export function allMatch(merges: readonly AuditedMerge[]): boolean {
  return merges.every(
    (merge) => merge.matches !== false && merge.variables.every((variable) => variable.matches),
  );
}

/**
 * Compares one handoff with the child it came from, as the child's own log tells it. Checksums are of the values as
 * they were first told: the runs of an imported tree had other names then.
 */
export function auditMerge(
  handoff: GatedHandoff,
  { lastWriter }: Pick<HandoffReader, 'lastWriter'>,
  definition: WorkflowDefinition,
  child: Run | undefined,
  inFirstWords: (value: JsonObject) => JsonObject = (value) => value,
): AuditedMerge {
  const { nodeId, workerId, childRunId, merged, why, approvedBy, verdict, editedChecksum, edited } = handoff;
  const mapping = mappingOf(definition, nodeId, workerId);
  // Only a completed child hands anything over.
  const outputs =
    child && endStatus(child) === 'completed' ? handedOver(mapping, child.variables) : undefined;
  const recomputed = outputs && attest(inFirstWords(outputs)).checksum;
  const recomputedEdit = edited && attest(inFirstWords(edited)).checksum;
  const source = edited ?? outputs;
  return {
    nodeId,
    workerId,
    childRunId,
    merged,
    why,
    approvedBy,
    ...(verdict && { verdict }),
    ...(handoff.checksums[0] !== undefined && { checksum: handoff.checksums[0] }),
    ...(recomputed !== undefined && { recomputed }),
    ...(editedChecksum !== undefined && { editedChecksum }),
    ...(recomputedEdit !== undefined && { recomputedEdit }),
    ...(handoff.checksums.length > 0 && {
      matches: handoff.checksums.every((one) => one === recomputed) && editedChecksum === recomputedEdit,
    }),
    variables: handoff.changes.map((change) => ({
      name: change.name,
      from: mapping[change.name] ?? change.name,
      matches: source !== undefined && isValueOf(change, mapping, source),
      current: lastWriter(change.name) === change.eventId,
    })),
  };
}

/** A worker's own map, the node's map, or none: as the kernel chose it. */
function mappingOf({ nodes }: WorkflowDefinition, nodeId: string, workerId: string): Mapping {
  const config = (nodes.find((node) => node.id === nodeId)?.config ?? {}) as JsonObject;
  return effectiveMapping(config, 'output', workerId);
}

/**
 * What was sealed on its way into the parent says nothing to those without the key: that it was not changed
 * since is for the chain to show.
 */
function isValueOf({ name, next }: Change, mapping: Mapping, source: JsonObject): boolean {
  const from = mapping[name];
  if (from === undefined) return false;
  const given = source[from];
  return same(next, given) || (given !== undefined && isSealed(next) && !isSealed(given));
}

function same(a: Json | undefined, b: Json | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return canonicalJson(a) === canonicalJson(b);
}
