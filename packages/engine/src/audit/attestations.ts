import { canonicalJson, type Json, type JsonObject, type WorkflowDefinition } from '@baton/protocol';
import { attest, handedOver } from '../kernel/handoff/attestation.ts';
import { effectiveMapping, type Mapping } from '../kernel/handoff/mapping.ts';
import { endStatus, type Run } from '../kernel/run.ts';
import { isSealed } from '../kernel/secrecy/sealed.ts';
import type { Change, GatedHandoff, GateOutcome, HandoffReader, RecordedVerdict } from './gated-handoffs.ts';
import { type RemoteEvidence, remoteEvidence } from './remote-evidence.ts';
import type { PublicKey } from './signing-key.ts';

/** Recomputes the checksums of merges from the stored logs and compares them with the recorded ones. */

/** One handoff that came to a merge gate, with the result of the recomputation. */
export interface AuditedMerge {
  readonly nodeId: string;
  readonly workerId: string;
  readonly childRunId: string;
  readonly merged: boolean;
  readonly why: GateOutcome;
  readonly approvedBy: readonly string[];
  readonly verdict?: RecordedVerdict;
  /** As recorded in the log of the parent. Absent when no attestation was configured. */
  readonly checksum?: string;
  /** From the log of the child. Absent when that log cannot be read or the child has not completed. */
  readonly recomputed?: string;
  readonly editedChecksum?: string;
  readonly recomputedEdit?: string;
  /** Absent when no checksum was recorded. */
  readonly matches?: boolean;
  /** Present when the child stands for a run on another host that has signed its result. */
  readonly remote?: RemoteEvidence;
  readonly variables: readonly VouchedVariable[];
}

/** A variable of the parent that the merge wrote. */
export interface VouchedVariable {
  readonly name: string;
  /** The name of the variable in the child. */
  readonly from: string;
  /** True when the value is the output of the child, or a person's edit of it. */
  readonly matches: boolean;
  /** False when the variable was written again after the merge. */
  readonly current: boolean;
}

export function allMatch(merges: readonly AuditedMerge[]): boolean {
  return merges.every(
    (merge) =>
      merge.matches !== false &&
      merge.remote?.matches !== false &&
      merge.variables.every((variable) => variable.matches),
  );
}

/**
 * Compares one handoff with the log of the child. A checksum covers the values as they were when it was made.
 * If the runs had other ids then, as in the source of a replay, `inFirstWords` puts these ids back.
 */
export function auditMerge(
  handoff: GatedHandoff,
  { lastWriter }: Pick<HandoffReader, 'lastWriter'>,
  definition: WorkflowDefinition,
  child: Run | undefined,
  inFirstWords: (value: JsonObject) => JsonObject = (value) => value,
  keyOf: (hostId: string) => PublicKey | undefined = () => undefined,
): AuditedMerge {
  const { nodeId, workerId, childRunId, merged, why, approvedBy, verdict, editedChecksum, edited } = handoff;
  const mapping = mappingOf(definition, nodeId, workerId);
  // Only a completed child has outputs.
  const outputs =
    child && endStatus(child) === 'completed' ? handedOver(mapping, child.variables) : undefined;
  const recomputed = outputs && attest(inFirstWords(outputs)).checksum;
  const recomputedEdit = edited && attest(inFirstWords(edited)).checksum;
  const source = edited ?? outputs;
  const remote = child && remoteEvidence(child, keyOf);
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
    ...(remote && { remote }),
    variables: handoff.changes.map((change) => ({
      name: change.name,
      from: mapping[change.name] ?? change.name,
      matches: source !== undefined && isValueOf(change, mapping, source),
      current: lastWriter(change.name) === change.eventId,
    })),
  };
}

/** The mapping that the kernel used: the one of the worker, or else the one of the node, or none. */
function mappingOf({ nodes }: WorkflowDefinition, nodeId: string, workerId: string): Mapping {
  const config = (nodes.find((node) => node.id === nodeId)?.config ?? {}) as JsonObject;
  return effectiveMapping(config, 'output', workerId);
}

/**
 * A value that was sealed when it was merged cannot be compared without the key. It counts as a match here.
 * The hash chain shows that it was not changed since.
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
