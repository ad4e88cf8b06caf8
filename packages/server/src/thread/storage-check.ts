import { StorageFullError, type Store } from '@baton/engine/ports';
import type { StorageState } from './messages.ts';

/** Whether the store takes a write. A commit that just succeeded shows it; otherwise something is written. */
export interface StorageCheck {
  /** Remembers how a commit ended. */
  watch<T>(commit: Promise<T>): Promise<T>;
  check(store: Pick<Store, 'checkWritable'>): Promise<StorageState>;
}

/** A write to the disk for each question would let anybody who asks keep the disk busy. */
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
