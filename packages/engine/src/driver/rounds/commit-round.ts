import { type Slice, type SliceResult, StorageFullError, type Store } from '../../ports/store.ts';

/** What became of a slice: stored, refused as the store says, or not stored because the store is full. */
export type SliceFate = SliceResult | 'full';

/** Stores the slices of a round in one transaction, and says what became of each. */
export async function commitRound(
  store: Pick<Store, 'commit'>,
  slices: readonly Slice[],
): Promise<ReadonlyMap<Slice, SliceFate>> {
  const fates = new Map<Slice, SliceFate>();
  if (slices.length === 0) return fates;
  try {
    const results = await store.commit(slices);
    for (const [at, slice] of slices.entries()) fates.set(slice, results[at] ?? 'conflict');
  } catch (problem) {
    if (!(problem instanceof StorageFullError)) throw problem;
    for (const slice of slices) fates.set(slice, 'full');
  }
  return fates;
}
