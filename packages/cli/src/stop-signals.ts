/** After Ctrl-C, npm sends the signal again to a process that has it already. This repetition is ignored. */
const ECHO_MS = 500;

interface Signals {
  on(signal: 'SIGINT' | 'SIGTERM', listener: () => void): unknown;
  exit(code: number): unknown;
}

/** Stops gracefully at the first signal and exits immediately at the second. Resolves when stopped. */
export function stopOnSignal(
  stop: () => Promise<void>,
  signals: Signals,
  now: () => number,
  say: (text: string) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let asked: number | undefined;
    const heed = (exitCode: number): void => {
      if (asked === undefined) {
        asked = now();
        say('Stopping; everything accepted is kept. Press Ctrl-C again to exit immediately.');
        stop().then(resolve, reject);
      } else if (now() - asked > ECHO_MS) {
        signals.exit(exitCode);
      }
    };
    signals.on('SIGINT', () => heed(130));
    signals.on('SIGTERM', () => heed(143));
  });
}
