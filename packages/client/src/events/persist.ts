import { BatonError } from '../errors.ts';
import { delayBefore, wait } from '../http/backoff.ts';
import type { Connection } from '../http/connection.ts';

/** `lost`: the connection broke, and is being opened again. */
export type ConnectionState = 'open' | 'lost';

/** Counts the failures of a stream in a row, and waits longer after each. */
interface Persistence {
  /** The stream was accepted. From now on more failures are allowed than before the first answer of the host. */
  opened(): void;
  /** The stream brought something new, so that the count begins again. */
  progressed(): void;
  /** Waits before the stream is opened again, or throws the error when there were too many in a row. */
  afterFailure(error: unknown): Promise<void>;
}

export function persistence(
  { patience }: Connection,
  signal: AbortSignal | undefined,
  onConnection: (state: ConnectionState) => void = () => undefined,
): Persistence {
  let allowed = patience.tries;
  let failures = 0;
  let state: ConnectionState = 'open';
  const become = (next: ConnectionState): void => {
    if (next === state) return;
    state = next;
    onConnection(next);
  };
  return {
    opened() {
      allowed = patience.streamTries;
      become('open');
    },
    progressed() {
      failures = 0;
    },
    async afterFailure(error) {
      if (signal?.aborted) throw signal.reason;
      failures += 1;
      const passes = error instanceof BatonError && error.retryable;
      if (!passes || failures >= allowed) throw error;
      become('lost');
      await wait(delayBefore(failures, patience) ?? 0, signal);
    },
  };
}
