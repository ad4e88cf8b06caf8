import type { Clock } from '../../ports/clock.ts';

/** One timer for all trees: rings at the earliest known deadline. */
interface Alarm {
  /** Rings at `time` at the latest. An earlier deadline that is already set stays. */
  by(time: number): void;
  stop(): void;
}

export function alarmOf(clock: Clock, ring: () => void): Alarm {
  let set: { readonly time: number; readonly cancel: () => void } | undefined;
  return {
    by(time) {
      if (set && set.time <= time) return;
      set?.cancel();
      const cancel = clock.at(time, () => {
        set = undefined;
        ring();
      });
      set = { time, cancel };
    },
    stop() {
      set?.cancel();
      set = undefined;
    },
  };
}
