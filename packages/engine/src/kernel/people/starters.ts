import { type WorkingRun, workingParent } from '../working-run.ts';

/** All principals who started or branched the run, the runs that it was branched from, or a run above it. */
export function startersOf(working: WorkingRun): ReadonlySet<string> {
  const starters = new Set<string>();
  for (let at: WorkingRun | undefined = working; at !== undefined; at = workingParent(at)) {
    starters.add(at.run.principal);
    for (const one of at.run.starters ?? []) starters.add(one);
  }
  return starters;
}
