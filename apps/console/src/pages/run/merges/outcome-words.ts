import type { StatusLook } from '../../../ui/status.ts';
import { type MergeView, type Outcome, outcomeOf, type SettledReason } from './merge-view.ts';

export const OUTCOME_LOOK: Readonly<Record<Outcome, StatusLook>> = {
  merged: 'completed',
  refused: 'failed',
  revised: 'paused',
  waiting: 'waiting',
  stopped: 'cancelled',
};

export const OUTCOME_WORDS: Readonly<Record<Outcome, string>> = {
  merged: 'Merged',
  refused: 'Refused',
  revised: 'Sent back',
  waiting: 'At the gate',
  stopped: 'Ended before the gate',
};

const REASONS: Readonly<Record<SettledReason, string>> = {
  'no-objection': 'The outputs were merged. The gate asked neither a critic nor a person.',
  'verdict-passed': 'The outputs were merged because the critic passed them.',
  approved: 'The outputs were merged because they were accepted.',
  edited: 'A person changed the outputs and accepted them. The changed values were merged.',
  'verdict-failed': 'Nothing was merged, because the critic did not pass the outputs.',
  rejected: 'Nothing was merged, because the outputs were rejected.',
  expired: 'Nothing was merged, because nobody answered in time.',
  stopped: 'Nothing was merged, because the run or the node was stopped at the gate.',
};

/** Why the handoff stands as it does, in one sentence. */
export function whyText(merge: MergeView): string {
  if (merge.settled !== undefined) return REASONS[merge.settled.why];
  switch (outcomeOf(merge)) {
    case 'revised':
      return 'The critic sent the work back. Nothing of it was merged, and the worker tried again.';
    case 'stopped':
      return `The child run ${merge.ended?.status === 'failed' ? 'failed' : 'was cancelled'}, so it has no outputs to merge.`;
    case 'merged':
      return 'This handoff has no merge gate. Its outputs were written to the run without a check.';
    default:
      return waitingText(merge);
  }
}

function waitingText({ ended, critic, approval }: MergeView): string {
  if (ended === undefined)
    return 'The worker is at work. Its outputs come to the gate when it has completed.';
  if (approval !== undefined && approval.resolved === undefined)
    return 'A person has to decide. Until then nothing is merged.';
  if (critic !== undefined && critic.verdict === undefined)
    return 'The critic is at work. Until its verdict nothing is merged.';
  return 'The outputs are at the gate. Nothing has been merged yet.';
}

const ACTIONS: Readonly<Record<string, string>> = {
  accept: 'accepted',
  'edit-accept': 'changed and accepted',
  reject: 'rejected',
  refine: 'asked for a refinement',
  timeout: 'did not answer in time',
};

export function actionText(action: string): string {
  return ACTIONS[action] ?? action;
}
