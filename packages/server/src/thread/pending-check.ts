import { type Deferred, deferred } from './deferred.ts';
import type { StorageState } from './messages.ts';

/** The question whether the engine thread answers and can write. Callers that ask meanwhile share one answer. */
interface PendingCheck {
  check(): Promise<StorageState>;
  answered(state: StorageState): void;
  /** Asks the next thread, if the answer of the last one is still missing. */
  repeat(): void;
}

/** `ask` sends the question; while a thread is being replaced it does nothing. */
export function pendingCheck(ask: () => void): PendingCheck {
  let pending: Deferred<StorageState> | undefined;
  return {
    check() {
      if (pending === undefined) {
        pending = deferred();
        ask();
      }
      return pending.promise;
    },
    answered(state) {
      pending?.resolve(state);
      pending = undefined;
    },
    repeat() {
      if (pending !== undefined) ask();
    },
  };
}
