import {
  type EventOf,
  isJsonObject,
  type Json,
  type JsonObject,
  type MergeReason,
  type RunEvent,
  type Verdict,
} from '@baton/protocol';

/**
 * Collects what the log of a parent says about each child whose outputs came to a merge gate. It checks
 * nothing.
 */

/** How a handoff left the merge gate, or why it has not left it. */
export type GateOutcome =
  | MergeReason
  /** A critic sent the worker back, and another child replaced it. */
  | 'revised'
  /** Still at the merge gate, or the run ended before the decision. */
  | 'undecided';

export interface GatedHandoff {
  readonly nodeId: string;
  readonly workerId: string;
  readonly childRunId: string;
  readonly merged: boolean;
  readonly why: GateOutcome;
  /**
   * All different checksums of the outputs that were recorded. More than one means that the log was
   * manipulated.
   */
  readonly checksums: readonly string[];
  readonly editedChecksum?: string;
  /** The edit with which a person replaced the outputs. */
  readonly edited?: JsonObject;
  readonly verdict?: RecordedVerdict;
  /** The principals who accepted, in this order. */
  readonly approvedBy: readonly string[];
  /** The variables that the merge wrote in the parent. */
  readonly changes: readonly Change[];
}

export interface RecordedVerdict {
  readonly verdict: Verdict;
  readonly agentId: string;
  readonly criticRunId?: string;
}

export type Change = EventOf<'variable.changed'>['payload'] & { readonly eventId: string };

/** Reads the events of one log in order, one by one, because a log may be too long to hold in memory. */
export interface HandoffReader {
  add(event: RunEvent): void;
  handoffs(): readonly GatedHandoff[];
  /** The event that wrote the present value of a variable. */
  lastWriter(variable: string): string | undefined;
}

/** A handoff while its events are still being read. */
type Open = { -readonly [K in keyof GatedHandoff]: GatedHandoff[K] };

interface Live {
  readonly handoff: Open;
  /** True once the outputs were held at the merge gate. */
  gated: boolean;
  /** Ids of events that can cause the merge. */
  readonly allowing: Set<string>;
  criticRunId?: string;
}

export function createHandoffReader(): HandoffReader {
  const found: GatedHandoff[] = [];
  /** The current handoff of each node. A node hands work to one worker at a time. */
  const live = new Map<string, Live>();
  const writers = new Map<string, string>();

  function begin(nodeId: string, workerId: string, childRunId: string): void {
    const handoff: Open = {
      nodeId,
      workerId,
      childRunId,
      merged: false,
      why: 'undecided',
      checksums: [],
      approvedBy: [],
      changes: [],
    };
    live.set(nodeId, { handoff, gated: false, allowing: new Set<string>() });
  }

  return {
    add(event) {
      if (event.type === 'variable.changed') writers.set(event.payload.name, event.eventId);
      if (event.type === 'channel.written') writers.set(event.payload.channel, event.eventId);
      const { nodeId } = event;
      if (nodeId === undefined) return;
      // A handoff of an earlier execution of the node has nothing to do with the critics of this one.
      if (event.type === 'node.started') live.delete(nodeId);
      if (event.type === 'node.dispatched') {
        begin(nodeId, event.payload.childWorkflowId, event.payload.childRunId);
        return;
      }
      const at = live.get(nodeId);
      if (at === undefined) return;
      const wasGated = at.gated;
      follow(at, event);
      if (at.gated && !wasGated) found.push(at.handoff);
      if (event.type === 'baton.merge.settled') live.delete(nodeId);
    },
    handoffs: () => found,
    lastWriter: (variable) => writers.get(variable),
  };
}

function follow(at: Live, event: RunEvent): void {
  const { handoff, allowing } = at;
  switch (event.type) {
    case 'core.workflowChain.event':
      if (event.payload.childRunId !== handoff.childRunId) return;
      allowing.add(event.eventId);
      if (event.payload.attestation === undefined) return;
      at.gated = true;
      recordChecksum(handoff, event.payload.attestation.checksum);
      return;
    case 'baton.worker.settled':
      allowing.add(event.eventId);
      return;
    case 'baton.critic.started':
      at.gated = true;
      at.criticRunId = event.payload.criticRunId;
      return;
    case 'agent.verified': {
      const { verdict, agentId } = event.payload;
      at.gated = true;
      allowing.add(event.eventId);
      handoff.verdict = { verdict, agentId, ...(at.criticRunId && { criticRunId: at.criticRunId }) };
      if (verdict === 'revise') handoff.why = 'revised';
      return;
    }
    case 'interrupt.requested':
      if (event.payload.kind !== 'approval' || event.payload.data.attestation === undefined) return;
      at.gated = true;
      recordChecksum(handoff, event.payload.data.attestation.checksum);
      return;
    case 'approval.received': {
      const { action, decidedBy } = event.payload;
      if (decidedBy === undefined || (action !== 'accept' && action !== 'edit-accept')) return;
      handoff.approvedBy = [...handoff.approvedBy, decidedBy];
      return;
    }
    case 'interrupt.resolved':
      allowing.add(event.eventId);
      handoff.edited = editIn(event);
      return;
    case 'variable.changed':
      if (event.causationId === undefined || !allowing.has(event.causationId)) return;
      handoff.changes = [...handoff.changes, { ...event.payload, eventId: event.eventId }];
      return;
    case 'baton.merge.settled': {
      const { merged, why, attestation, editedChecksum } = event.payload;
      at.gated = true;
      Object.assign(handoff, { merged, why });
      if (attestation !== undefined) recordChecksum(handoff, attestation.checksum);
      if (editedChecksum !== undefined) handoff.editedChecksum = editedChecksum;
    }
  }
}

function recordChecksum(handoff: Open, checksum: string): void {
  if (!handoff.checksums.includes(checksum)) handoff.checksums = [...handoff.checksums, checksum];
}

/**
 * Only an object is ever merged. Version 0.2 sealed some edits as a whole, and then rejected the merge
 * because the edit could not be read.
 */
function editIn({ payload }: EventOf<'interrupt.resolved'>): JsonObject | undefined {
  const answer = payload.resumeValue as { action?: string; editedArtifactData?: Json } | undefined;
  const edited = answer?.action === 'edit-accept' ? answer.editedArtifactData : undefined;
  return isJsonObject(edited) ? edited : undefined;
}
