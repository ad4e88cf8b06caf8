import type { Clock } from '@baton/engine';

/** A clock that stands still until a test moves it. */
export interface SimulatedClock extends Clock {
  /** The time of the next alarm, if one is set. */
  next(): number | undefined;
  /** Sets the time and rings the alarms that are due, the earliest first. The time never goes back. */
  moveTo(time: number): void;
}

interface Alarm {
  readonly time: number;
  readonly callback: () => void;
}

export function simulatedClock(start: number): SimulatedClock {
  let now = start;
  const alarms = new Set<Alarm>();
  const earliest = () => {
    let found: Alarm | undefined;
    for (const alarm of alarms) if (found === undefined || alarm.time < found.time) found = alarm;
    return found;
  };
  return {
    now: () => now,
    at(time, callback) {
      const alarm = { time, callback };
      alarms.add(alarm);
      return () => void alarms.delete(alarm);
    },
    next: () => earliest()?.time,
    moveTo(time) {
      now = Math.max(now, time);
      for (let due = earliest(); due !== undefined && due.time <= now; due = earliest()) {
        alarms.delete(due);
        due.callback();
      }
    },
  };
}
