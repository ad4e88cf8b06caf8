import { type ApprovalAnswer, type ApprovalData, BatonError, type Scope } from '@baton/protocol';
import type { Ballot } from './ballot.ts';

const OVERRIDE: Scope = 'approvals:override';

/**
 * Checks that one person may settle an approval alone, whatever its quorum and its list of approvers. The
 * approval must allow it, the key must have the scope, and the answer must state a reason.
 */
export function checkOverride(
  gate: Pick<ApprovalData, 'overrideBypassesQuorum'>,
  answer: ApprovalAnswer,
  scopes: readonly string[],
): Ballot {
  if (gate.overrideBypassesQuorum !== true) {
    throw new BatonError('forbidden', 'This approval cannot be overridden; its quorum has to be met.');
  }
  if (!scopes.includes(OVERRIDE)) {
    throw new BatonError('forbidden', `Overriding an approval needs a key with the scope "${OVERRIDE}".`, {
      scope: OVERRIDE,
    });
  }
  if (answer.action !== 'accept') throw unfit('override', 'is allowed only with the action "accept"');
  const reason = answer.reason?.trim();
  if (reason === undefined || reason === '') throw unfit('reason', 'is required for an override');
  return { kind: 'overridden', reason };
}

function unfit(field: string, problem: string): BatonError {
  return new BatonError('validation_error', `resumeValue: ${field} ${problem}`, { field });
}
