import { createHandoffReader, type GatedHandoff, type GateOutcome } from '@baton/engine';
import type { Json, RunEvent, Verdict } from '@baton/protocol';

/** The stages of the merge gate. */
export type GateStage = 'attest' | 'verify' | 'approve' | 'merge';

/** The outputs of one child at the merge gate: whether they were merged, and why. */
export interface Merge {
  readonly nodeId: string;
  readonly workerId: string;
  readonly childRunId: string;
  readonly merged: boolean;
  /** Why the outputs were merged or not, for example `approved`, `rejected` or `revised`. */
  readonly why: GateOutcome;
  /** The stages that the outputs went through, in their order. */
  readonly stages: readonly GateStage[];
  /** The recorded checksum of the outputs. */
  readonly checksum?: string;
  /** The checksum of the values with which a person replaced the outputs. */
  readonly editedChecksum?: string;
  readonly verdict?: Verdict;
  /** The criteria that the critic judged by. */
  readonly criteria?: readonly string[];
  readonly confidence?: number;
  readonly approvedBy: readonly string[];
  /** The values that were written to the variables of the parent. */
  readonly variables: Readonly<Record<string, Json>>;
}

/** What the log of a parent says about the children whose outputs came to a merge gate. */
export function mergesIn(events: readonly RunEvent[]): readonly Merge[] {
  const reader = createHandoffReader();
  for (const event of events) reader.add(event);
  return reader.handoffs().map((handoff) => mergeOf(handoff, events));
}

function mergeOf(handoff: GatedHandoff, events: readonly RunEvent[]): Merge {
  const { nodeId, workerId, childRunId, merged, why, checksums, editedChecksum, approvedBy, changes } =
    handoff;
  const [checksum] = checksums;
  const about = eventsAbout(handoff, events);
  const judged = about.find((event) => event.type === 'agent.verified');
  const asked = about.some(({ type }) => type === 'interrupt.requested');
  const stages: readonly (GateStage | false)[] = [
    checksum !== undefined && 'attest',
    handoff.verdict !== undefined && 'verify',
    asked && 'approve',
    merged && 'merge',
  ];
  return {
    ...{ nodeId, workerId, childRunId, merged, why },
    stages: stages.filter((stage) => stage !== false),
    ...(checksum !== undefined && { checksum }),
    ...(editedChecksum !== undefined && { editedChecksum }),
    ...(handoff.verdict && { verdict: handoff.verdict.verdict }),
    ...(judged?.payload.criteria && { criteria: judged.payload.criteria }),
    ...(judged?.payload.confidence !== undefined && { confidence: judged.payload.confidence }),
    approvedBy,
    variables: Object.fromEntries(
      changes.flatMap(({ name, next }) => (next === undefined ? [] : [[name, next]])),
    ),
  };
}

/** The events of a node from the start of one child to the start of the next. */
function eventsAbout({ nodeId, childRunId }: GatedHandoff, events: readonly RunEvent[]): readonly RunEvent[] {
  const own = events.filter((event) => event.nodeId === nodeId);
  const begun = own.findIndex(
    (event) => event.type === 'node.dispatched' && event.payload.childRunId === childRunId,
  );
  const rest = own.slice(begun + 1);
  const next = rest.findIndex(({ type }) => type === 'node.dispatched');
  return next === -1 ? rest : rest.slice(0, next);
}
