/** Timers are handed in, so that tests decide when time passes. */
export interface Timers {
  /** Calls back once after this time, unless the returned function is called before. */
  after(ms: number, run: () => void): () => void;
}

/** They do not keep the process alive. */
export const systemTimers: Timers = {
  after(ms, run) {
    const timer = setTimeout(run, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
