import { StorageFullError, type Store } from '@baton/engine/ports';
import type { StorageState } from './messages.ts';

/**
 * Checks whether the store can be written. A recent successful commit proves it; otherwise a test value is
 * written.
 */
export interface StorageCheck {
  /** Notes whether a commit succeeded. */
  watch<T>(commit: Promise<T>): Promise<T>;
  check(store: Pick<Store, 'checkWritable'>): Promise<StorageState>;
}

/** For this long a success counts as proof. A write for every check could keep the disk busy. */
const BELIEVED_MS = 5000;

export function storageCheck(now: () => number): StorageCheck {
  let writtenAt = Number.NEGATIVE_INFINITY;

  async function watch<T>(commit: Promise<T>): Promise<T> {
    try {
      const result = await commit;
      writtenAt = now();
      return result;
    } catch (problem) {
      writtenAt = Number.NEGATIVE_INFINITY;
      throw problem;
    }
  }

  return {
    watch,
    async check(store) {
      if (now() - writtenAt < BELIEVED_MS) return 'writable';
      try {
        await watch(store.checkWritable());
        return 'writable';
      } catch (problem) {
        return problem instanceof StorageFullError ? 'full' : 'failing';
      }
    },
  };
}
