import { onTestFinished } from 'vitest';
import type { StoreReads } from '../../../engine/src/ports/reads/index.ts';
import type { Slice, Store } from '../../../engine/src/ports/store.ts';

export interface StoreUnderTest {
  readonly store: Store;
  readonly reads: StoreReads;
  /** Closes both and opens the same data again. */
  reopen(): Promise<StoreUnderTest>;
  /** Closes both and removes the data. */
  destroy(): Promise<void>;
}

export interface StoreFactory {
  /** Opens a separate, empty store. */
  open(): Promise<StoreUnderTest>;
}

/**
 * A new store for one test, removed after the test. It completes slices, so that only the tests about places
 * have to name places.
 */
export async function fresh(factory: StoreFactory): Promise<StoreUnderTest> {
  let current = await factory.open();
  onTestFinished(() => current.destroy());
  const completed = ({ store, ...rest }: StoreUnderTest): StoreUnderTest => ({
    ...rest,
    store: completingPlaces(store),
    reopen: async () => {
      current = await current.reopen();
      return completed(current);
    },
  });
  return completed(current);
}

/** Completes slices that do not say from which place of their tree they go on. */
export function completingPlaces(store: Store): Store {
  return { ...store, commit: async (slices) => store.commit(await withPlaces(store, slices)) };
}

async function withPlaces(store: Store, slices: readonly Slice[]): Promise<readonly Slice[]> {
  const places = new Map<string, number>();
  const complete: Slice[] = [];
  for (const slice of slices) {
    const touchesTree = slice.runs.length > 0 || slice.wake !== undefined;
    const known = places.get(slice.rootId) ?? (await placeBefore(store, slice));
    const from = slice.from ?? known;
    const events = slice.runs.reduce((count, run) => count + run.events.length, 0);
    places.set(slice.rootId, from + events);
    complete.push(touchesTree ? { ...slice, from } : slice);
  }
  return complete;
}

/** A fork goes on after the last event that it shares with its source. */
async function placeBefore(store: Store, { rootId, runs }: Slice): Promise<number> {
  const fork = runs.find(({ runId }) => runId === rootId)?.created?.fork;
  if (fork === undefined || fork.fromSeq === 0) return store.newestPlace(rootId);
  const [last] = await store.placedEvents(fork.sourceRunId, fork.fromSeq - 1, 1);
  return last?.place ?? 0;
}
