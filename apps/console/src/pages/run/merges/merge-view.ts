import type { EventOf, Json, JsonObject } from '@baton/client';

/** What the log of a run says about one handoff, as the page shows it. */

/** The number and the time of an event. */
export interface Moment {
  readonly sequence: number;
  readonly at: string;
}

export interface VerdictView extends Moment {
  readonly verdict: EventOf<'agent.verified'>['payload']['verdict'];
  readonly agentId: string;
  readonly criteria: readonly string[];
  readonly confidence?: number;
}

export interface CriticView {
  readonly started?: Moment;
  readonly criticRunId?: string;
  readonly verdict?: VerdictView;
}

interface VoteView extends Moment {
  readonly by?: string;
  readonly action: string;
  readonly comment?: string;
}

export interface ApprovalView {
  readonly asked: Moment;
  readonly title: string;
  readonly required: number;
  readonly votes: readonly VoteView[];
  /** Who settled the approval alone, without the others. */
  readonly overridden?: Moment & { readonly by: string; readonly reason: string };
  readonly resolved?: Moment & { readonly outcome: string; readonly by?: string };
}

/** A value that the merge wrote in the parent. `next` is absent when the variable was removed. */
export interface MergedValue extends Moment {
  readonly name: string;
  readonly next?: Json;
  readonly previous?: Json;
}

export type SettledReason = EventOf<'baton.merge.settled'>['payload']['why'];

export interface MergeView {
  readonly nodeId: string;
  readonly workerId: string;
  readonly childRunId: string;
  /** From 1. A revision of the same work has the next number. */
  readonly attempt: number;
  readonly handedOver: Moment;
  /** False: no stage of a merge gate was recorded. */
  readonly gated: boolean;
  readonly ended?: Moment & { readonly status: 'completed' | 'failed' | 'cancelled' };
  readonly attested?: Moment;
  /** The different checksums that were recorded. More than one means that the log was changed. */
  readonly checksums: readonly string[];
  readonly critic?: CriticView;
  readonly approval?: ApprovalView;
  /** The outputs as a person was asked about them. */
  readonly artifact?: JsonObject;
  /** The outputs as a person has changed them. */
  readonly edited?: JsonObject;
  readonly editedChecksum?: string;
  readonly values: readonly MergedValue[];
  readonly settled?: Moment & { readonly merged: boolean; readonly why: SettledReason };
}

/** A verdict about the decision of an agent or about the result of a tool call. */
export interface JudgedView {
  readonly nodeId: string;
  readonly target: string;
  readonly critic: CriticView;
}

export type StageName = 'attested' | 'verified' | 'approved' | 'merged';
/** `skipped`: the gate does not have this stage, or the handoff has ended before it. */
export type StageState = 'done' | 'waiting' | 'refused' | 'skipped';

interface Stage {
  readonly name: StageName;
  readonly state: StageState;
  readonly at?: Moment;
}

/** The four stages in their order. */
export function stagesOf(merge: MergeView): readonly Stage[] {
  return [
    { name: 'attested', ...attestedStage(merge) },
    { name: 'verified', ...verifiedStage(merge) },
    { name: 'approved', ...approvedStage(merge) },
    { name: 'merged', ...mergedStage(merge) },
  ];
}

type StageFacts = Omit<Stage, 'name'>;

function attestedStage({ attested }: MergeView): StageFacts {
  return attested === undefined ? { state: 'skipped' } : { state: 'done', at: attested };
}

function verifiedStage({ critic, settled }: MergeView): StageFacts {
  if (critic === undefined) return { state: 'skipped' };
  const { verdict, started } = critic;
  if (verdict !== undefined) return { state: verdict.verdict === 'pass' ? 'done' : 'refused', at: verdict };
  if (settled !== undefined) return { state: 'skipped' };
  return { state: 'waiting', ...(started && { at: started }) };
}

function approvedStage({ approval, settled }: MergeView): StageFacts {
  if (approval === undefined) return { state: 'skipped' };
  if (approval.resolved === undefined && settled === undefined)
    return { state: 'waiting', at: approval.asked };
  const at = approval.resolved ?? settled ?? approval.asked;
  return { state: settled?.merged === true ? 'done' : 'refused', at };
}

function mergedStage({ settled, values, critic, gated, ended }: MergeView): StageFacts {
  if (settled !== undefined) return { state: settled.merged ? 'done' : 'refused', at: settled };
  if (critic?.verdict?.verdict === 'revise') return { state: 'refused', at: critic.verdict };
  if (!gated && ended !== undefined) {
    const [first] = values;
    return first === undefined ? { state: 'skipped' } : { state: 'done', at: first };
  }
  return ended === undefined || ended.status === 'completed' ? { state: 'waiting' } : { state: 'skipped' };
}

/** How the handoff stands, for lists and counts. */
export type Outcome = 'merged' | 'refused' | 'revised' | 'waiting' | 'stopped';

export function outcomeOf(merge: MergeView): Outcome {
  if (merge.settled !== undefined) return merge.settled.merged ? 'merged' : 'refused';
  if (merge.critic?.verdict?.verdict === 'revise') return 'revised';
  if (merge.ended !== undefined && merge.ended.status !== 'completed') return 'stopped';
  return merge.gated || merge.ended === undefined ? 'waiting' : 'merged';
}
