/** How long to wait before a request is sent again. */

export interface Patience {
  /** How often a request is sent at most, the first time included. Default: 4. */
  readonly tries?: number;
  /**
   * How often a stream that was open is opened again without receiving anything, before it ends with an error.
   * Default: 100, which is about 8 minutes.
   */
  readonly streamTries?: number;
  /** The longest wait before the first repetition. It is doubled for each further one. Default: 200. */
  readonly firstDelayMs?: number;
  /** The longest wait before any repetition. Default: 5000. */
  readonly longestDelayMs?: number;
  /**
   * A request that was not answered after this time fails with `host_unreachable`, and is repeated where that is safe.
   * Requests whose work takes long, such as an audit, have no limit. Default: 60000.
   */
  readonly answerMs?: number;
  /** A stream that brings no byte for this long is opened again. A host writes every 15 seconds. Default: 45000. */
  readonly silenceMs?: number;
}

export const DEFAULT_PATIENCE: Required<Patience> = {
  tries: 4,
  streamTries: 100,
  firstDelayMs: 200,
  longestDelayMs: 5000,
  answerMs: 60_000,
  silenceMs: 45_000,
};

/** An answer that asks the client to wait longer than this is given to the caller instead. */
const LONGEST_ASKED_MS = 30_000;

/**
 * The wait before a repetition, or `undefined` when the host asks for a wait that is too long. The wait is a random
 * part of the longest one, at least a half, so that the clients of a host that was restarted do not return together.
 */
export function delayBefore(
  repetition: number,
  { firstDelayMs, longestDelayMs }: Required<Patience>,
  askedMs = 0,
  random: () => number = Math.random,
): number | undefined {
  if (askedMs > LONGEST_ASKED_MS) return undefined;
  const longest = Math.min(longestDelayMs, firstDelayMs * 2 ** Math.min(repetition - 1, 20));
  return Math.max(askedMs, longest * (0.5 + random() / 2));
}

/** Resolves after the time. Rejects with the reason of the signal when it is aborted before. */
export function wait(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
