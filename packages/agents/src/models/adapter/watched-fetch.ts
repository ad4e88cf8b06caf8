import type { Later } from '../timers.ts';

/**
 * A `fetch` for one model call, whose requests must have the signal from here. It ends the call when the
 * provider is silent for too long or sends too much, and closes the socket when the call ends for any reason.
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

export type EndedBy = 'first-byte' | 'silence' | 'size';

interface Limits {
  readonly firstByteMs: number;
  readonly silenceMs: number;
}

/** A stream of one answer, with the frames around its text. */
const MAX_BYTES = 64 * 1024 * 1024;

export function watchedFetch(caller: AbortSignal, limits: Limits, later: Later): WatchedFetch {
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
  const onAbort = () => socket.abort();
  if (caller.aborted) onAbort();
  else caller.addEventListener('abort', onAbort, { once: true });

  return {
    fetch: async (input, init) => {
      expect(limits.firstByteMs, 'first-byte');
      const response = await fetch(input, init);
      if (response.body === null) return response;
      const watched = new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          bytes += chunk.byteLength;
          if (bytes > MAX_BYTES) return end('size');
          expect(limits.silenceMs, 'silence');
          controller.enqueue(chunk);
        },
        flush: () => cancelTimer(),
      });
      const { status, statusText, headers } = response;
      return new Response(response.body.pipeThrough(watched), { status, statusText, headers });
    },
    signal: socket.signal,
    ended: () => endedBy,
    close() {
      cancelTimer();
      caller.removeEventListener('abort', onAbort);
      socket.abort();
    },
  };
}
