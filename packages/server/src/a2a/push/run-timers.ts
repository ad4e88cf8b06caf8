/** Calls back for a run after a time. A run has one timer: the earliest that was set. */
interface RunTimers {
  set(runId: string, ms: number): void;
  cancel(runId: string): void;
  /** Cancels all timers. No timer can be set afterwards. */
  stop(): void;
}

interface TimerParts {
  readonly now: () => number;
  readonly after: (ms: number, run: () => void) => () => void;
}

export function runTimers({ now, after }: TimerParts, onDue: (runId: string) => void): RunTimers {
  const timers = new Map<string, { readonly at: number; readonly cancel: () => void }>();
  let isStopped = false;
  function cancel(runId: string): void {
    timers.get(runId)?.cancel();
    timers.delete(runId);
  }
  return {
    set(runId, ms) {
      const at = now() + ms;
      if (isStopped || (timers.get(runId)?.at ?? at + 1) <= at) return;
      cancel(runId);
      const cancelTimer = after(ms, () => {
        timers.delete(runId);
        onDue(runId);
      });
      timers.set(runId, { at, cancel: cancelTimer });
    },
    cancel,
    stop() {
      isStopped = true;
      for (const runId of [...timers.keys()]) cancel(runId);
    },
  };
}
