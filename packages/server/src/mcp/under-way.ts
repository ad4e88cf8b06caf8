import type { Lingering } from '../http/lingering.ts';

/** Tool calls under way. A call of a session goes on when its connection is lost, so no request stands for it. */
export interface CallsUnderWay {
  /** The signal is aborted when the host stops. */
  during<T>(call: (stopped: AbortSignal) => Promise<T>): Promise<T>;
  /** Resolves when no call is under way. */
  ended(): Promise<void>;
}

export function createCallsUnderWay(lingering: Lingering): CallsUnderWay {
  const underWay = new Set<Promise<unknown>>();
  return {
    async during(call) {
      const stopped = new AbortController();
      const forget = lingering.add(() => stopped.abort());
      const result = call(stopped.signal);
      const ended = result.then(forget, forget).finally(() => underWay.delete(ended));
      underWay.add(ended);
      return result;
    },
    async ended() {
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}
