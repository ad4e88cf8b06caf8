import type { EventOf, Json, JsonObject, RunEvent } from '@baton/client';
import type { JudgedView, MergeView, Moment, VerdictView } from './merge-view.ts';

/**
 * Reads the log of a run, event by event, and keeps what it says about handoffs and verdicts. An event that was read
 * already is left out.
 */
export interface MergeReader {
  add(event: RunEvent): void;
  /** The handoffs in the order in which they were begun. */
  merges(): readonly MergeView[];
  /** Verdicts about decisions and results of tools. */
  judged(): readonly JudgedView[];
  /** The checksum of the definition with which the run was started. */
  definition(): string | undefined;
}

type Writable<View> = { -readonly [Name in keyof View]: View[Name] };

/** A handoff while its events are being read. */
interface Open {
  readonly index: number;
  /** The events that can cause the merge. */
  readonly allowing: Set<string>;
}

export function createMergeReader(): MergeReader {
  const merges: MergeView[] = [];
  const judged = new Map<string, JudgedView>();
  /** The current handoff of each node. A node hands work to one worker at a time. */
  const open = new Map<string, Open>();
  const attempts = new Map<string, number>();
  const values = new Map<string, Json>();
  let definition: string | undefined;
  let next = 0;

  function begin(event: EventOf<'node.dispatched'>, nodeId: string): void {
    const { childRunId, childWorkflowId } = event.payload;
    const last = open.get(nodeId);
    const isRevision = last !== undefined && merges[last.index]?.critic?.verdict?.verdict === 'revise';
    const attempt = isRevision ? (attempts.get(nodeId) ?? 0) + 1 : 1;
    attempts.set(nodeId, attempt);
    open.set(nodeId, { index: merges.length, allowing: new Set() });
    merges.push({
      nodeId,
      workerId: childWorkflowId,
      childRunId,
      attempt,
      handedOver: momentOf(event),
      gated: false,
      checksums: [],
      values: [],
    });
  }

  return {
    add(event) {
      if (event.sequence < next) return;
      next = event.sequence + 1;
      const previous = event.type === 'variable.changed' ? values.get(event.payload.name) : undefined;
      keepValues(values, event);
      if (event.type === 'run.started') definition = event.payload.definition;
      const { nodeId } = event;
      if (nodeId === undefined) return;
      if (event.type === 'node.started') open.delete(nodeId);
      else if (event.type === 'node.dispatched') begin(event, nodeId);
      else {
        const at = open.get(nodeId);
        const merge = at && merges[at.index];
        if (judge(judged, event, nodeId, merge) || at === undefined || merge === undefined) return;
        const next: Writable<MergeView> = { ...merge };
        if (!follow(next, at.allowing, event, previous)) return;
        merges[at.index] = next;
        if (event.type === 'baton.merge.settled') open.delete(nodeId);
      }
    },
    merges: () => [...merges],
    judged: () => [...judged.values()],
    definition: () => definition,
  };
}

function momentOf({ sequence, timestamp }: RunEvent): Moment {
  return { sequence, at: timestamp };
}

function keepValues(values: Map<string, Json>, event: RunEvent): void {
  if (event.type === 'run.started') setAll(values, event.payload.variables as JsonObject);
  if (event.type === 'baton.run.branched') setAll(values, (event.payload.variables ?? {}) as JsonObject);
  if (event.type !== 'variable.changed') return;
  const { name, next } = event.payload;
  if (next === undefined) values.delete(name);
  else values.set(name, next as Json);
}

function setAll(values: Map<string, Json>, given: JsonObject): void {
  for (const [name, value] of Object.entries(given)) values.set(name, value);
}

/**
 * Takes in a verdict about a decision or the result of a tool. A verdict about a worker names its child run, or the
 * worker itself if the child could not be started. False: the event is no such verdict.
 */
function judge(
  judged: Map<string, JudgedView>,
  event: RunEvent,
  nodeId: string,
  merge: MergeView | undefined,
): boolean {
  if (event.type === 'baton.critic.started' && event.payload.target !== undefined) {
    const { target, criticRunId } = event.payload;
    judged.set(target, { nodeId, target, critic: { started: momentOf(event), criticRunId } });
    return true;
  }
  if (event.type !== 'agent.verified') return false;
  const { target } = event.payload;
  if (target === merge?.childRunId || target === merge?.workerId) return false;
  const critic = { ...judged.get(target)?.critic, verdict: verdictOf(event) };
  judged.set(target, { nodeId, target, critic });
  return true;
}

function verdictOf(event: EventOf<'agent.verified'>): VerdictView {
  const { verdict, agentId, criteria = [], confidence } = event.payload;
  return {
    ...momentOf(event),
    verdict,
    agentId,
    criteria,
    ...(confidence !== undefined && { confidence }),
  };
}

/** Takes one event into the view of its handoff. False: the event says nothing about the handoff. */
function follow(
  merge: Writable<MergeView>,
  allowing: Set<string>,
  event: RunEvent,
  previous: Json | undefined,
): boolean {
  switch (event.type) {
    case 'core.workflowChain.event':
      return followChain(merge, allowing, event);
    case 'baton.worker.settled':
      allowing.add(event.eventId);
      merge.ended = { ...momentOf(event), status: event.payload.status };
      return true;
    case 'baton.critic.started':
      merge.gated = true;
      merge.critic = { started: momentOf(event), criticRunId: event.payload.criticRunId };
      return true;
    case 'agent.verified':
      merge.gated = true;
      allowing.add(event.eventId);
      merge.critic = { ...merge.critic, verdict: verdictOf(event) };
      return true;
    case 'variable.changed': {
      if (event.causationId === undefined || !allowing.has(event.causationId)) return false;
      const { name, next } = event.payload;
      const value = {
        ...momentOf(event),
        name,
        ...(next !== undefined && { next: next as Json }),
        ...(previous !== undefined && { previous }),
      };
      merge.values = [...merge.values, value];
      return true;
    }
    case 'baton.merge.settled': {
      const { merged, why, attestation, editedChecksum } = event.payload;
      merge.gated = true;
      merge.settled = { ...momentOf(event), merged, why };
      if (attestation !== undefined) recordChecksum(merge, event, attestation.checksum);
      if (editedChecksum !== undefined) merge.editedChecksum = editedChecksum;
      return true;
    }
    default:
      return followApproval(merge, allowing, event);
  }
}

function followChain(
  merge: Writable<MergeView>,
  allowing: Set<string>,
  event: EventOf<'core.workflowChain.event'>,
): boolean {
  const { phase, childRunId, attestation } = event.payload;
  if (childRunId !== merge.childRunId) return false;
  allowing.add(event.eventId);
  if (phase === 'child.completed' || phase === 'child.failed' || phase === 'child.cancelled')
    merge.ended = { ...momentOf(event), status: END_OF[phase] };
  if (attestation !== undefined) {
    merge.gated = true;
    recordChecksum(merge, event, attestation.checksum);
  }
  return true;
}

const END_OF = {
  'child.completed': 'completed',
  'child.failed': 'failed',
  'child.cancelled': 'cancelled',
} as const;

function followApproval(merge: Writable<MergeView>, allowing: Set<string>, event: RunEvent): boolean {
  if (event.type === 'interrupt.requested') {
    if (event.payload.kind !== 'approval' || event.payload.data.attestation === undefined) return false;
    const { title, requiredApprovals = 1, artifactData, attestation } = event.payload.data;
    merge.gated = true;
    merge.approval = { asked: momentOf(event), title, required: requiredApprovals, votes: [] };
    if (isObject(artifactData)) merge.artifact = artifactData;
    recordChecksum(merge, event, attestation.checksum);
    return true;
  }
  const { approval } = merge;
  if (approval === undefined) return false;
  switch (event.type) {
    case 'approval.received': {
      const { action, decidedBy, comment, feedback } = event.payload;
      const words = comment ?? feedback;
      const vote = {
        ...momentOf(event),
        action,
        ...(decidedBy !== undefined && { by: decidedBy }),
        ...(words !== undefined && { comment: words }),
      };
      merge.approval = { ...approval, votes: [...approval.votes, vote] };
      return true;
    }
    case 'approval.overridden': {
      const { principal: by, reason } = event.payload;
      merge.approval = { ...approval, overridden: { ...momentOf(event), by, reason } };
      return true;
    }
    case 'interrupt.resolved': {
      const { outcome, resolvedBy, resumeValue } = event.payload;
      allowing.add(event.eventId);
      const by = resolvedBy !== undefined && { by: resolvedBy };
      merge.approval = { ...approval, resolved: { ...momentOf(event), outcome, ...by } };
      const answer = resumeValue as
        | { readonly action?: Json; readonly editedArtifactData?: Json }
        | undefined;
      if (answer?.action === 'edit-accept' && isObject(answer.editedArtifactData))
        merge.edited = answer.editedArtifactData;
      return true;
    }
    default:
      return false;
  }
}

function recordChecksum(merge: Writable<MergeView>, event: RunEvent, checksum: string): void {
  merge.attested ??= momentOf(event);
  if (!merge.checksums.includes(checksum)) merge.checksums = [...merge.checksums, checksum];
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
