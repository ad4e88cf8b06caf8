import type { Goal } from '@baton/protocol';
import type { Run } from './run.ts';

/**
 * Whether the run met its goal; `undefined` when no goal was stated. The goal is not met if a critic turned
 * down work that was not improved since, or if one criterion of the supervisor is not met. Without criteria,
 * it is also not met if a child did not meet its goal.
 */
export function goalOf(run: Run): Goal | undefined {
  const last = run.decision?.decision;
  const stated = last?.kind === 'terminate' ? last.successCriteria : undefined;
  // An empty list counts as no criteria.
  const criteria = stated?.length === 0 ? undefined : stated;
  const isStanding = run.unresolved.length > 0;
  const gaveUp = (run.unmet ?? []).length > 0;
  if (criteria === undefined && !isStanding && !gaveUp) return undefined;
  const met =
    !isStanding && (criteria === undefined ? !gaveUp : criteria.every((criterion) => criterion.met));
  return { met, ...(criteria && { criteria }) };
}

/**
 * True when a run would complete although a critic turned down work of it. A supervisor may still end such a
 * run, because it needs the approval of a person for that.
 */
export function endsOverVerdict(run: Run): boolean {
  if (run.unresolved.length === 0) return false;
  return !Object.values(run.nodes).some(
    (node) => node.status === 'completed' && node.decided === 'terminate',
  );
}

/** The workers because of which the goal is not met. The supervisor gets this list. */
export function goalsNotMet({ unresolved, unmet = [] }: Run): readonly string[] {
  return [...new Set([...unresolved, ...unmet])];
}

/** The output of a node when one of its workers did not meet its goal. Empty otherwise. */
export function childGoals(run: Run, workers: readonly string[]): { readonly childGoalMet?: false } {
  const isMissed = goalsNotMet(run).some((id) => workers.includes(id));
  return isMissed ? { childGoalMet: false } : {};
}
