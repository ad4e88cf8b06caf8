import { vi } from 'vitest';

/**
 * How many timers the client has set that have neither rung nor been cleared. Other code of the process may set timers,
 * too: only those are counted that are set by a file of this package. Call it after `vi.useFakeTimers()`.
 */
export function openTimers(): () => number {
  const open = new Set<unknown>();
  const { setTimeout: set, clearTimeout: clear } = globalThis;
  const setting = (act: () => void, ms?: number): unknown => {
    const isOurs = /[\\/]packages[\\/]client[\\/]src[\\/]/.test(new Error().stack?.split('\n')[2] ?? '');
    const timer = set(() => {
      open.delete(timer);
      act();
    }, ms);
    if (isOurs) open.add(timer);
    return timer;
  };
  vi.stubGlobal('setTimeout', setting);
  vi.stubGlobal('clearTimeout', (timer: ReturnType<typeof set>) => {
    open.delete(timer);
    clear(timer);
  });
  return () => open.size;
}
