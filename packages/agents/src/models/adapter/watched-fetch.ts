import type { Pace } from '../pace.ts';
import type { Later } from '../timers.ts';
import { streamedFetch } from './streamed-fetch.ts';

/**
 * A `fetch` for one model call, whose requests must have the signal from here. It ends the call when the
 * provider is silent for too long, takes too long in total or sends too much, and closes the socket when the call ends for any reason.
 */
interface WatchedFetch {
  readonly fetch: typeof fetch;
  /** Aborted when the caller aborts, and when the call was ended here. */
  readonly signal: AbortSignal;
  /** Why the call was ended here. */
  ended(): EndedBy | undefined;
  /** Must be called when the call is over. */
  close(): void;
}

export type EndedBy = 'first-byte' | 'silence' | 'total' | 'size' | 'html' | 'json';

interface Timing {
  readonly later: Later;
  readonly pace: Pace;
}

interface Limits {
  readonly firstByteMs: number;
  readonly silenceMs: number;
  readonly totalMs: number;
}

/** A stream of one answer, with the frames around its text. */
const MAX_BYTES = 64 * 1024 * 1024;

export function watchedFetch(caller: AbortSignal, limits: Limits, { later, pace }: Timing): WatchedFetch {
  const socket = new AbortController();
  let endedBy: EndedBy | undefined;
  let cancelTimer = () => {};
  let bytes = 0;

  const end = (by: EndedBy) => {
    endedBy ??= by;
    socket.abort();
  };
  const expect = (ms: number, by: EndedBy) => {
    cancelTimer();
    cancelTimer = later(ms, () => end(by));
  };
  // A provider that sends comments or empty frames for ever is never silent.
  const cancelTotal = later(limits.totalMs, () => end('total'));
  const onAbort = () => socket.abort();
  if (caller.aborted) onAbort();
  else caller.addEventListener('abort', onAbort, { once: true });

  return {
    fetch: (input, init) => {
      expect(limits.firstByteMs, 'first-byte');
      const response = streamedFetch(new URL(String(input)), init ?? {}, {
        arrived(count) {
          bytes += count;
          if (bytes > MAX_BYTES) {
            end('size');
            return false;
          }
          expect(limits.silenceMs, 'silence');
          return true;
        },
        ended: () => cancelTimer(),
        pace,
      });
      return response.then((got) => {
        const other = got.ok ? insteadOfStream(got.headers.get('content-type') ?? '') : undefined;
        if (other !== undefined) end(other);
        return got;
      });
    },
    signal: socket.signal,
    ended: () => endedBy,
    close() {
      cancelTimer();
      cancelTotal();
      caller.removeEventListener('abort', onAbort);
      socket.abort();
    },
  };
}

/** Some servers send a stream without its type, so only types that cannot be a stream count. */
function insteadOfStream(contentType: string): 'html' | 'json' | undefined {
  if (/^\s*text\/html\b/i.test(contentType)) return 'html';
  return /^\s*application\/json\b/i.test(contentType) ? 'json' : undefined;
}
