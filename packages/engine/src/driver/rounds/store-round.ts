import { mayPass, type Slice, type SliceResult, StorageFullError, type Store } from '../../ports/store.ts';
import type { FinishedJob, JobsUnderWay } from './jobs-under-way.ts';

/** What became of a slice: stored, refused as the store says, or not stored because the store is full or not there. */
export type SliceFate = SliceResult | 'full' | 'unavailable';

/** Stores the slices of a round in one transaction, and says what became of each. */
async function commitRound(
  store: Pick<Store, 'commit'>,
  slices: readonly Slice[],
): Promise<ReadonlyMap<Slice, SliceFate>> {
  const fates = new Map<Slice, SliceFate>();
  if (slices.length === 0) return fates;
  try {
    const results = await store.commit(slices);
    for (const [at, slice] of slices.entries()) fates.set(slice, results[at] ?? 'conflict');
  } catch (problem) {
    if (!mayPass(problem)) throw problem;
    const fate = problem instanceof StorageFullError ? 'full' : 'unavailable';
    for (const slice of slices) fates.set(slice, fate);
  }
  return fates;
}

interface StoreRoundOptions {
  readonly store: Pick<Store, 'commit'>;
  readonly jobs: Pick<JobsUnderWay, 'release'>;
  readonly settle: (finished: FinishedJob, fate: SliceFate) => void;
  /** Called with the slices that were stored, once their jobs are settled. */
  readonly stored: (slices: readonly Slice[]) => Promise<void>;
  readonly log: (level: 'error', message: string, fields: Record<string, unknown>) => void;
}

/** Stores a round, settles its jobs, and lets other jobs of their trees begin. */
export function roundStorer({ store, jobs, settle, stored, log }: StoreRoundOptions) {
  return async (round: readonly FinishedJob[]): Promise<void> => {
    const slices = round.flatMap(({ outcome }) => outcome.slice ?? []);
    const fates = await commitRound(store, slices);
    const [fate] = fates.values();
    if (fate === 'full') log('error', 'the store is full; nothing was recorded', {});
    if (fate === 'unavailable') log('error', 'the store cannot be reached; nothing was recorded', {});
    for (const finished of round) {
      const { slice } = finished.outcome;
      settle(
        finished,
        finished.outcome.isUnavailable ? 'unavailable' : ((slice && fates.get(slice)) ?? 'committed'),
      );
      jobs.release(finished.queued);
    }
    await stored(slices.filter((slice) => fates.get(slice) === 'committed'));
  };
}
