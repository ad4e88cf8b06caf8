import type { RunEvent } from '@baton/protocol';

/**
 * Whether an event is somebody's word that something may go on: an approval, a verdict, an attestation. Such a word
 * counts where it was given; a host that takes in a log cannot know who gave it.
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
