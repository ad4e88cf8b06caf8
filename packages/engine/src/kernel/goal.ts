import type { Goal } from '@baton/protocol';
import type { Run } from './run.ts';

/**
 * Whether the run reached what it was for, where anybody said what that is: the supervisor's criteria, or a
 * critic whose objection still stands. One unmet criterion or one standing objection means it gave up.
 */
export function goalOf(run: Run): Goal | undefined {
  const last = run.decision?.decision;
  const criteria = last?.kind === 'terminate' ? last.successCriteria : undefined;
  if (criteria === undefined && run.unresolved.length === 0) return undefined;
  const met = run.unresolved.length === 0 && (criteria ?? []).every((criterion) => criterion.met);
  return { met, ...(criteria && { criteria }) };
}
