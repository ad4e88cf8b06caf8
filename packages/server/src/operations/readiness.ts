import type { StorageState } from '../thread/messages.ts';

/** Whether the host takes work, and what keeps it from doing so. */
export type Readiness = 'ready' | 'stopping' | 'engine-not-answering' | 'storage-full' | 'storage-failing';

export interface ReadinessParts {
  readonly isStopping: () => boolean;
  /** Resolves when the thread of the engine answers. */
  readonly check: () => Promise<StorageState>;
  /** Calls back once, unless the result is called before. */
  readonly after?: (ms: number, callback: () => void) => () => void;
}

/**
 * A busy engine answers between two pieces of work, which take milliseconds. One that has not answered by then is in a
 * long step, hangs, or is being replaced: new work would wait, so it is better sent elsewhere for a while.
 */
export const ANSWER_WITHIN_MS = 2000;

const BY_STORAGE: Readonly<Record<StorageState, Readiness>> = {
  writable: 'ready',
  full: 'storage-full',
  failing: 'storage-failing',
};

export function readinessOf({ isStopping, check, after = later }: ReadinessParts): () => Promise<Readiness> {
  return async () => {
    if (isStopping()) return 'stopping';
    return new Promise((resolve, reject) => {
      const cancel = after(ANSWER_WITHIN_MS, () => resolve('engine-not-answering'));
      check()
        .then((storage) => resolve(BY_STORAGE[storage]), reject)
        .finally(cancel);
    });
  };
}

function later(ms: number, callback: () => void): () => void {
  const timer = setTimeout(callback, ms);
  return () => clearTimeout(timer);
}
