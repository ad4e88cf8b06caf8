import { isJsonObject, type RunEvent } from '@baton/protocol';
import type { OpenInterrupt, Run } from '../run.ts';

/**
 * Permissions that were given for the values of a run at that time: an approval (also one vote of several),
 * the pass of a critic, or a merge with a digest. They do not cover other values. So a branch that changes
 * values after a grant must begin before the node that asked for it.
 */

/** Event types that may be grants. The text of an event is searched for them before it is parsed. */
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

/** Notes the index at which the first node with a grant started. */
export function withGrant(run: Run, event: RunEvent): Run {
  const { nodeId, sequence } = event;
  if (run.granted !== undefined || nodeId === undefined || !isGrant(event)) return run;
  return { ...run, granted: run.nodes[nodeId]?.startedSeq ?? sequence };
}

/** True when a person is shown values, so that the answer is about these values. */
export function showsValues({ request }: Pick<OpenInterrupt, 'request'>): boolean {
  const shown = request.kind === 'approval' ? request.data.artifactData : undefined;
  return isJsonObject(shown) && Object.keys(shown).length > 0;
}

/** The index at which the first node started that has a grant, or an open question that shows values. */
export function firstCovered(run: Run): number | undefined {
  const asked = Object.values(run.interrupts)
    .filter(showsValues)
    .map(({ nodeId }) => run.nodes[nodeId]?.startedSeq ?? 0);
  const all = run.granted === undefined ? asked : [run.granted, ...asked];
  return all.length === 0 ? undefined : Math.min(...all);
}
