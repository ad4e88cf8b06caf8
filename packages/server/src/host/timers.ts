/** Calls back after a time, unless the returned function is called before. The timer does not keep the process alive. */
export function unreferenced(ms: number, run: () => void): () => void {
  const timer = setTimeout(run, ms);
  timer.unref();
  return () => clearTimeout(timer);
}
