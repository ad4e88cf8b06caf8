import type { Output } from '../output/output.ts';

interface StartAgainOptions {
  readonly start: (port: number) => Promise<unknown>;
  readonly out: Pick<Output, 'give' | 'note'>;
  /** Calls back later, unless the returned function is called before. */
  readonly later: (ms: number, callback: () => void) => () => void;
}

/** Starts hosts again that ended by themselves, as the service manager of a machine does. */
interface StartAgain {
  ended(port: number): void;
  /** No host is started any more when this has resolved. */
  stop(): Promise<void>;
}

const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 15_000;

export function startAgain({ start, out, later }: StartAgainOptions): StartAgain {
  const waiting = new Map<number, () => void>();
  const starting = new Set<Promise<void>>();
  let stopped = false;

  async function attempt(port: number, wait: number): Promise<void> {
    waiting.delete(port);
    try {
      await start(port);
      out.give({ event: 'started', port }, `Port ${port} is back.`);
    } catch (problem) {
      out.note(problem instanceof Error ? problem.message : String(problem));
      after(port, Math.min(wait * 2, LONGEST_WAIT_MS));
    }
  }

  function after(port: number, wait: number): void {
    if (stopped) return;
    const begin = () => {
      const attempting = attempt(port, wait).finally(() => starting.delete(attempting));
      starting.add(attempting);
    };
    waiting.set(port, later(wait, begin));
  }

  return {
    ended: (port) => after(port, FIRST_WAIT_MS),
    async stop() {
      stopped = true;
      for (const cancel of waiting.values()) cancel();
      waiting.clear();
      await Promise.all(starting);
    },
  };
}
