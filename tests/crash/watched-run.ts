import type { RunEvent } from '@baton/protocol';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { API_KEY } from './host-process.ts';

/** A run whose events are followed until the one at which its host is to be killed. */
export interface Watch {
  /** The texts of the events so far. They must be in the log for ever. */
  readonly seen: readonly string[];
  /** The keys of the effects whose outcomes have been seen. */
  readonly settled: ReadonlySet<string>;
  /** Follows the stream of the run. Resolves at the event with this number, or at the end of the run. */
  follow(url: string, runId: string, until: number): Promise<void>;
  /**
   * Resolves once the intent of the effect was seen on the stream. It never does when the run has come to its
   * event: then the request stays without an answer, and the host is killed during the call.
   */
  mayAnswer(key: string): Promise<void>;
  /** From now on every request is answered. */
  release(): void;
}

export function watch(): Watch {
  const seen: string[] = [];
  const settled = new Set<string>();
  const intended = new Set<string>();
  const waiting = new Map<string, () => void>();
  let state: 'following' | 'arrived' | 'released' = 'following';

  function take(event: RunEvent, runId: string): void {
    const key = (step: number | undefined) => `${runId}/agent/1/1/${step}`;
    if (event.type === 'baton.effect.settled') settled.add(key(event.payload.step));
    if (event.type === 'baton.effect.intended') intended.add(key(event.payload.step));
  }

  function answerWaiting(): void {
    for (const [key, answer] of waiting) {
      if (!intended.has(key)) continue;
      waiting.delete(key);
      answer();
    }
  }

  return {
    seen,
    settled,
    async follow(url, runId, until) {
      for await (const { text, event } of eventsFrom(url, runId)) {
        seen.push(text);
        take(event, runId);
        if (event.sequence >= until) {
          state = 'arrived';
          return;
        }
        answerWaiting();
      }
    },
    mayAnswer(key) {
      if (state === 'released' || (state === 'following' && intended.has(key))) return Promise.resolve();
      return new Promise((answer) => waiting.set(key, answer));
    },
    release() {
      state = 'released';
    },
  };
}

/** The recorded events of a run, from the first one on, as they are stored. It ends with the run. */
export async function* eventsFrom(
  url: string,
  runId: string,
): AsyncGenerator<{ readonly text: string; readonly event: RunEvent }> {
  const cut = new AbortController();
  const response = await fetch(`${url}/v1/runs/${runId}/events`, {
    headers: { authorization: `Bearer ${API_KEY}`, accept: 'text/event-stream' },
    signal: cut.signal,
  });
  const messages = response
    .body!.pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream());
  try {
    for await (const { data: text, id } of messages) {
      // Progress that is not recorded has no number.
      if (id !== undefined) yield { text, event: JSON.parse(text) as RunEvent };
    }
  } finally {
    cut.abort();
  }
}
