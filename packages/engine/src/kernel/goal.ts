import type { Goal } from '@baton/protocol';
import { goesBy } from './rules.ts';
import type { Run } from './run.ts';

/**
 * Whether the run reached what it was for, where anybody said what that is: the supervisor's criteria, a critic whose
 * objection still stands, or a child that gave up. A standing objection means that the run gave up. So does one unmet
 * criterion, and so does a child that gave up where the supervisor states no criteria of its own.
 */
export function goalOf(run: Run): Goal | undefined {
  const last = run.decision?.decision;
  const stated = last?.kind === 'terminate' ? last.successCriteria : undefined;
  // An empty list states nothing, from rules 1 on.
  const criteria = stated?.length === 0 && goesBy(run, 1) ? undefined : stated;
  const isStanding = run.unresolved.length > 0;
  const gaveUp = (run.unmet ?? []).length > 0;
  if (criteria === undefined && !isStanding && !gaveUp) return undefined;
  const met =
    !isStanding && (criteria === undefined ? !gaveUp : criteria.every((criterion) => criterion.met));
  return { met, ...(criteria && { criteria }) };
}

/** A verdict stands at the end of a run, and no supervisor has ended the run over it, which takes a person's word. */
export function endsOverVerdict(run: Run): boolean {
  if (!goesBy(run, 1) || run.unresolved.length === 0) return false;
  return !Object.values(run.nodes).some(
    (node) => node.status === 'completed' && node.decided === 'terminate',
  );
}

/** The workers that the run's goal is not met for, as its supervisor is told. */
export function goalsNotMet({ unresolved, unmet = [] }: Run): readonly string[] {
  return [...new Set([...unresolved, ...unmet])];
}

/** What a node tells of the goals of its workers; nothing where they were met, or nobody stated any. */
export function childGoals(run: Run, workers: readonly string[]): { readonly childGoalMet?: false } {
  const isMissed = goesBy(run, 1) && goalsNotMet(run).some((id) => workers.includes(id));
  return isMissed ? { childGoalMet: false } : {};
}
