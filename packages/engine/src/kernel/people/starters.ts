import { parentTurn, type Turn } from '../turn.ts';

/** All principals who started or branched the run, the runs that it was branched from, or a run above it. */
export function startersOf(turn: Turn): ReadonlySet<string> {
  const starters = new Set<string>();
  for (let at: Turn | undefined = turn; at !== undefined; at = parentTurn(at)) {
    starters.add(at.run.principal);
    for (const one of at.run.starters ?? []) starters.add(one);
  }
  return starters;
}
