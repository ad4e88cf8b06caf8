/** How often the clock is read, and the gap from which on the device was asleep. */
const TICK_MS = 5_000;
const GAP_MS = 20_000;

/**
 * Calls back when connections may have died without a sign: the clock has jumped, because the device was asleep, or the
 * network has returned. Browsers slow down the timers of a page that is not seen, so only a seen page is looked at.
 */
export function onWake(wake: () => void): () => void {
  let last = Date.now();
  const look = () => {
    const now = Date.now();
    const wasAsleep = now - last > GAP_MS;
    last = now;
    if (wasAsleep && document.visibilityState === 'visible') wake();
  };
  const timer = setInterval(look, TICK_MS);
  document.addEventListener('visibilitychange', look);
  window.addEventListener('online', wake);
  return () => {
    clearInterval(timer);
    document.removeEventListener('visibilitychange', look);
    window.removeEventListener('online', wake);
  };
}
