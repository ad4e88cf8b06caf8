import type { RunEvent } from '@baton/protocol';

/**
 * Whether an event permits that work goes on: an approval, a verdict or an attestation. A grant counts only
 * on the host where it was given, because an importing host cannot know who gave it.
 */
export function isGrant(event: RunEvent): boolean {
  switch (event.type) {
    case 'approval.received':
    case 'approval.granted':
    case 'approval.overridden':
    case 'agent.verified':
      return true;
    case 'interrupt.resolved':
      return event.payload.kind === 'approval' || event.payload.kind === 'low-confidence';
    case 'core.workflowChain.event':
      return event.payload.attestation !== undefined;
    case 'baton.merge.settled':
      return event.payload.merged;
    default:
      return false;
  }
}
