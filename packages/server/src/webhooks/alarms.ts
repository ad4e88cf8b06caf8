/** One alarm for each key. A new one takes the place of the one before. */
interface Alarms<K> {
  ring(key: K, at: number, run: () => void): void;
  cancel(key: K): void;
  stop(): void;
}

/** Timers of Node.js cannot wait longer than 24 days. An alarm may ring early. */
const LONGEST_MS = 86_400_000;

export function alarms<K>(after: (ms: number, run: () => void) => () => void, now: () => number): Alarms<K> {
  const open = new Map<K, () => void>();
  const cancel = (key: K): void => {
    open.get(key)?.();
    open.delete(key);
  };
  return {
    ring(key, at, run) {
      cancel(key);
      const ms = Math.min(Math.max(at - now(), 1), LONGEST_MS);
      open.set(
        key,
        after(ms, () => {
          open.delete(key);
          run();
        }),
      );
    },
    cancel,
    stop() {
      for (const key of [...open.keys()]) cancel(key);
    },
  };
}
