import type { ApprovalData } from '@baton/protocol';
import type { OpenInterrupt } from '../run.ts';

/** Votes on an approval: how each is recorded, and when they settle the question. */

/** The recorded meaning of a vote. */
export type Ballot =
  | { readonly kind: 'granted'; readonly granted: number; readonly required: number }
  | { readonly kind: 'rejected'; readonly reason?: string }
  | { readonly kind: 'overridden'; readonly reason: string };

export type Quorum = Pick<ApprovalData, 'requiredApprovals' | 'rejectionPolicy'>;

interface Count<Settled extends string> {
  readonly kind: Settled | 'vote';
  readonly ballot: Ballot;
}

export function countAccept(open: OpenInterrupt, quorum: Quorum, voter: string): Count<'answered'> {
  const required = quorum.requiredApprovals ?? 1;
  const granted = votesFor({ ...open.votes, [voter]: 'accept' }, 'accept');
  return {
    kind: granted >= required ? 'answered' : 'vote',
    ballot: { kind: 'granted', granted, required },
  };
}

export function countReject(
  open: OpenInterrupt,
  quorum: Quorum,
  voter: string,
  reason?: string,
): Count<'rejected'> {
  const { requiredApprovals = 1, rejectionPolicy = 'single-veto' } = quorum;
  const rejects = votesFor({ ...open.votes, [voter]: 'reject' }, 'reject');
  const settled = rejectionPolicy === 'single-veto' || rejects * 2 > requiredApprovals;
  return {
    kind: settled ? 'rejected' : 'vote',
    ballot: { kind: 'rejected', ...(reason !== undefined && { reason }) },
  };
}

function votesFor(votes: OpenInterrupt['votes'], side: 'accept' | 'reject'): number {
  return Object.values(votes).filter((vote) => vote === side).length;
}
