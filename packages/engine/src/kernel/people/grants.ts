import { isJsonObject, type RunEvent } from '@baton/protocol';
import type { OpenInterrupt, Run } from '../run.ts';

/**
 * What a run was let do on the strength of the values it had then: an approval, also one vote of several; the pass
 * of a critic; a merge with a digest. None of these covers other values, so a branch that changes values behind one
 * of them has to go back to where it was asked for.
 */

/** Event types that may grant something; a look at the text of an event tells whether it is worth reading. */
export const GRANTING = ['approval.received', 'agent.verified', 'baton.merge.settled'] as const;

export function isGrant(event: RunEvent): boolean {
  switch (event.type) {
    case 'approval.received':
      return event.payload.action === 'accept' || event.payload.action === 'edit-accept';
    case 'agent.verified':
      return event.payload.verdict === 'pass';
    case 'baton.merge.settled': {
      const { merged, why, attestation } = event.payload;
      return merged && (attestation !== undefined || why !== 'no-objection');
    }
    default:
      return false;
  }
}

/** Remembers the earliest node that was granted something, by the index at which it started. */
export function withGrant(run: Run, event: RunEvent): Run {
  const { nodeId, sequence } = event;
  if (run.granted !== undefined || nodeId === undefined || !isGrant(event)) return run;
  return { ...run, granted: run.nodes[nodeId]?.startedSeq ?? sequence };
}

/** A person is being shown values, and will answer for those. */
export function showsValues({ request }: Pick<OpenInterrupt, 'request'>): boolean {
  const shown = request.kind === 'approval' ? request.data.artifactData : undefined;
  return isJsonObject(shown) && Object.keys(shown).length > 0;
}

/** The index at which the first node started whose grant, or whose open question, is about the values of now. */
export function firstCovered(run: Run): number | undefined {
  const asked = Object.values(run.interrupts)
    .filter(showsValues)
    .map(({ nodeId }) => run.nodes[nodeId]?.startedSeq ?? 0);
  const all = run.granted === undefined ? asked : [run.granted, ...asked];
  return all.length === 0 ? undefined : Math.min(...all);
}
