import type { StorageState } from '../thread/messages.ts';

/** Whether the host accepts work, and the reason if it does not. */
export type Readiness = 'ready' | 'stopping' | 'engine-not-answering' | 'storage-full' | 'storage-failing';

interface ReadinessParts {
  readonly isStopping: () => boolean;
  /** Resolves when the engine thread answers. */
  readonly check: () => Promise<StorageState>;
  /** Calls back once, unless the returned function is called before. */
  readonly after?: (ms: number, callback: () => void) => () => void;
}

/**
 * A busy engine answers between two pieces of work, which take milliseconds. An engine that does not answer
 * in time is in a long step, hangs, or is being replaced. New work would wait, so it should go to another
 * host meanwhile.
 */
const ANSWER_WITHIN_MS = 2000;

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
