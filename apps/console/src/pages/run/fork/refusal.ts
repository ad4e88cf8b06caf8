import { BatonError } from '@baton/client';

/** The fork that the host names when it refuses another one. */
interface BetterFork {
  readonly runId: string;
  readonly at: number;
}

/**
 * The index that a refusal names: before an approval that would no longer hold, before the end of the run, or where
 * the memory of the run is still kept. `undefined` when the host names none.
 */
export function betterForkIn(error: unknown, runId: string): BetterFork | undefined {
  if (!(error instanceof BatonError)) return undefined;
  const { earliestApproval, newestFromSeq, oldestAvailableIdx, runId: named } = error.details ?? {};
  const at = [earliestApproval, newestFromSeq, oldestAvailableIdx].find(isIndex);
  if (at === undefined) return undefined;
  return { runId: typeof named === 'string' ? named : runId, at };
}

function isIndex(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
