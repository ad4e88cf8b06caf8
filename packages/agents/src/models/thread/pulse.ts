import type { Later } from '../timers.ts';

/** Notices that a thread with work is stuck: it is asked for a message from time to time. */
export interface Pulse {
  /** The thread has work from now on. */
  begin(): void;
  /** The thread has sent a message. */
  heard(): void;
  /** The thread has no more work, or has ended. */
  end(): void;
}

/** A thread that sends nothing for this time, although it was asked to, is stuck. */
export const SILENCE_MS = 60_000;

interface PulseOptions {
  readonly later: Later;
  readonly ping: () => void;
  readonly onStuck: () => void;
}

export function pulseOf({ later, ping, onStuck }: PulseOptions): Pulse {
  let cancel: (() => void) | undefined;
  let isHeard = false;

  function listen(): void {
    isHeard = false;
    ping();
    cancel = later(SILENCE_MS, () => (isHeard ? listen() : onStuck()));
  }

  return {
    begin() {
      if (cancel === undefined) listen();
    },
    heard() {
      isHeard = true;
    },
    end() {
      cancel?.();
      cancel = undefined;
    },
  };
}
