/** Limits how often something is drawn. */
interface Frames {
  /** Something changed. It is drawn at once, or when the time since the last drawing has passed. */
  changed(): void;
  /** Draws nothing more. */
  stop(): void;
}

interface Timers {
  now(): number;
  /** Calls back once after the time. Returns a function that prevents the call. */
  after(milliseconds: number, call: () => void): () => void;
}

const TIMERS: Timers = {
  now: () => Date.now(),
  after(milliseconds, call) {
    const timer = setTimeout(call, milliseconds);
    return () => clearTimeout(timer);
  },
};

/** At most one drawing in `pause` ms, and at least one in `longest` ms, so that shown times go on. */
export function framesOf(
  draw: () => void,
  { pause, longest }: { readonly pause: number; readonly longest: number },
  timers: Timers = TIMERS,
): Frames {
  let last = Number.NEGATIVE_INFINITY;
  let isDue = false;
  let cancel = (): void => undefined;

  function drawNow(): void {
    isDue = false;
    last = timers.now();
    draw();
    cancel();
    cancel = timers.after(longest, drawNow);
  }

  return {
    changed() {
      const wait = last + pause - timers.now();
      if (wait <= 0) return drawNow();
      if (isDue) return;
      isDue = true;
      cancel();
      cancel = timers.after(wait, drawNow);
    },
    stop() {
      cancel();
    },
  };
}
