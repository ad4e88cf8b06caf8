import { onTestFinished } from 'vitest';
import type { StoreReads } from '../reads/index.ts';
import type { Store } from '../store.ts';

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

/** A new store for one test, removed after the test. */
export async function fresh(factory: StoreFactory): Promise<StoreUnderTest> {
  const opened = await factory.open();
  let current = opened;
  onTestFinished(() => current.destroy());
  return {
    ...opened,
    reopen: async () => {
      current = await current.reopen();
      return current;
    },
  };
}
