import type { SecretChange } from '@baton/engine';
import type { KeptThread } from './kept-thread.ts';

/** Tells the engine thread of changes of secrets. */
interface ToldSecrets {
  /** The thread knows the change before every command that is sent afterwards. */
  tell(change: SecretChange): void;
  /** Another thread has taken the place of a lost one. */
  replaced(): void;
}

/**
 * A thread that is replaced is opened with the secrets of that moment. Changes that come until it runs wait
 * here; it may have been opened before they came.
 */
export function toldSecrets(thread: () => Pick<KeptThread, 'isRunning' | 'say'>): ToldSecrets {
  let untold: SecretChange[] = [];

  function tell(change: SecretChange): void {
    if (thread().isRunning()) thread().say({ kind: 'secret', change });
    else untold.push(change);
  }

  return {
    tell,
    replaced() {
      const late = untold;
      untold = [];
      late.forEach(tell);
    },
  };
}
