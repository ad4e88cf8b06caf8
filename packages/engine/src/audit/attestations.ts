import {
  canonicalJson,
  digest,
  isJsonObject,
  type Json,
  type JsonObject,
  problemWith,
  ResultStatement,
  remoteWorker,
  type WorkflowDefinition,
} from '@baton/protocol';
import { own } from '../kernel/graph/own.ts';
import { attest, handedOver } from '../kernel/handoff/attestation.ts';
import { effectiveMapping, type Mapping } from '../kernel/handoff/mapping.ts';
import { endStatus, outputsOf, type Run } from '../kernel/run.ts';
import { isSealed } from '../kernel/secrecy/sealed.ts';
import type { Change, GatedHandoff, GateOutcome, HandoffReader, RecordedVerdict } from './gated-handoffs.ts';
import { verifiesStatement } from './result-statement.ts';
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

/** What the log of this host proves about a run on another host, without a connection to that host. */
interface RemoteEvidence {
  readonly hostId: string;
  readonly runId: string;
  /** As the other host has signed it. */
  readonly checksum: string;
  /** From the recorded outputs. Absent when secrets of this host are hidden in them. */
  readonly recomputed?: string;
  readonly signature: 'valid' | 'invalid' | 'key-unknown';
  /** Absent when the signature or the outputs cannot be checked here. */
  readonly matches?: boolean;
}

/** `undefined` for a child of this host, and for an agent of another kind, which signs nothing. */
function remoteEvidence(
  child: Run,
  keyOf: (hostId: string) => PublicKey | undefined,
): RemoteEvidence | undefined {
  if (remoteWorker(child.workflowId) === undefined) return undefined;
  const [nodeId = ''] = Object.keys(child.nodes);
  const { statement: given, harvestedKeys: keys } = outputsOf(child, nodeId) ?? {};
  if (given === undefined || problemWith(ResultStatement, given) !== undefined) return undefined;
  const statement = given as unknown as ResultStatement;
  const key = keyOf(statement.hostId);
  const recomputed = checksumOf(child, keys);
  // The peer may have another key by now. The statement names the key that signed it.
  const isKnown = key !== undefined && key.keyId === statement.keyId;
  const signature = !isKnown ? 'key-unknown' : verifiesStatement(key, statement) ? 'valid' : 'invalid';
  const agrees = recomputed === undefined ? undefined : recomputed === statement.checksum;
  return {
    hostId: statement.hostId,
    runId: statement.runId,
    checksum: statement.checksum,
    ...(recomputed !== undefined && { recomputed }),
    signature,
    ...(signature === 'invalid' || agrees === false
      ? { matches: false }
      : signature === 'valid' && agrees === true && { matches: true }),
  };
}

/** The outputs are variables of the run that stands for the remote one. */
function checksumOf({ variables }: Run, keys: Json | undefined): string | undefined {
  const names = Array.isArray(keys) ? keys.filter((key) => typeof key === 'string') : [];
  const outputs: Record<string, Json> = {};
  for (const name of names) {
    const value = own(variables, name);
    if (value !== undefined) outputs[name] = value;
  }
  return hidesSomething(outputs) ? undefined : digest(outputs);
}

function hidesSomething(value: Json | JsonObject): boolean {
  if (typeof value === 'string') return value.includes('[REDACTED:') || isSealed(value);
  if (Array.isArray(value)) return value.some(hidesSomething);
  return (
    isJsonObject(value) &&
    Object.entries(value).some(([name, one]) => hidesSomething(name) || hidesSomething(one))
  );
}
