/** A signal that is aborted with the signal of the caller, or when the time is over. */
interface WithinTime {
  readonly signal: AbortSignal | undefined;
  /** Whether the time was over before `end` was called. */
  isOver(): boolean;
  /** Ends the timer, and leaves the signal of the caller. */
  end(): void;
}

export function withinTime(milliseconds: number | undefined, signal: AbortSignal | undefined): WithinTime {
  if (milliseconds === undefined) return { signal, isOver: () => false, end: () => undefined };
  const controller = new AbortController();
  let over = false;
  const leave = (): void => controller.abort(signal?.reason);
  const timer = setTimeout(() => {
    over = true;
    controller.abort();
  }, milliseconds);
  if (signal?.aborted) leave();
  signal?.addEventListener('abort', leave, { once: true });
  return {
    signal: controller.signal,
    isOver: () => over,
    end() {
      clearTimeout(timer);
      signal?.removeEventListener('abort', leave);
    },
  };
}
