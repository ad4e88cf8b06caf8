import type { Alarm, Clock } from '@baton/engine/ports';

/** Hands the deadlines of trees to Restate. */
interface HandedAlarms {
  /** The tree has this deadline, and no other; or none. */
  set(rootId: string, at: number | null): void;
  stop(): void;
}

interface HandedAlarmsOptions {
  readonly clock: Clock;
  readonly send: (alarm: Alarm) => void;
  /** Rings on this host. */
  readonly ring: (alarm: Alarm) => void;
}

/**
 * Most deadlines are time-outs of calls that end in time. Only a deadline that has stood for so long is handed over, so
 * that Restate does not learn of the others.
 */
const STANDS_MS = 1000;
/** A deadline as near as this is rung by this host, because it would come before Restate has it. */
const NEAR_MS = 2000;

export function handedAlarms({ clock, send, ring }: HandedAlarmsOptions): HandedAlarms {
  /** What cancels the timer of each tree whose deadline is not handed over yet. */
  const timers = new Map<string, () => void>();

  function after(alarm: Alarm, time: number, act: (alarm: Alarm) => void): void {
    const cancel = clock.at(time, () => {
      timers.delete(alarm.rootId);
      act(alarm);
    });
    timers.set(alarm.rootId, cancel);
  }

  return {
    set(rootId, at) {
      timers.get(rootId)?.();
      timers.delete(rootId);
      if (at === null) return;
      const now = clock.now();
      if (at <= now + NEAR_MS) after({ rootId, at }, at, ring);
      else after({ rootId, at }, now + STANDS_MS, send);
    },
    stop() {
      for (const cancel of timers.values()) cancel();
      timers.clear();
    },
  };
}
