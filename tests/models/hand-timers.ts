/** Timers that a test fires by hand. */
interface HandTimers {
  readonly later: (ms: number, callback: () => void) => () => void;
  /** Resolves when a timer of this length is running. */
  running(ms: number): Promise<void>;
  /** Fires the running timers of this length. */
  fire(ms: number): void;
  /** How many timers are running. */
  count(): number;
}

export function handTimers(): HandTimers {
  const timers = new Set<{ readonly ms: number; readonly callback: () => void }>();
  const waiting = new Set<{ readonly ms: number; readonly done: () => void }>();
  return {
    later(ms, callback) {
      const timer = { ms, callback };
      timers.add(timer);
      for (const one of waiting) {
        if (one.ms !== ms) continue;
        waiting.delete(one);
        one.done();
      }
      return () => timers.delete(timer);
    },
    running: (ms) =>
      new Promise((done) => {
        if ([...timers].some((timer) => timer.ms === ms)) done();
        else waiting.add({ ms, done });
      }),
    fire(ms) {
      for (const timer of [...timers]) {
        if (timer.ms !== ms) continue;
        timers.delete(timer);
        timer.callback();
      }
    },
    count: () => timers.size,
  };
}
