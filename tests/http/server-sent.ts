import { createParser, type EventSourceMessage } from 'eventsource-parser';
import type { TestHost } from './host.ts';

interface OpenedStream {
  readonly response: Response;
  /** The next frame, or nothing when the server has closed. */
  next(): Promise<EventSourceMessage | undefined>;
  /** Every frame until the server closes. */
  rest(): Promise<readonly EventSourceMessage[]>;
  close(): void;
}

/** Reads a stream as a client would: bytes as they come, frames as a parser finds them. */
export async function openEvents(
  host: Pick<TestHost, 'url' | 'key'>,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<OpenedStream> {
  const abort = new AbortController();
  const sent = { accept: 'text/event-stream', authorization: `Bearer ${host.key}`, ...headers };
  const response = await fetch(`${host.url}${path}`, {
    signal: abort.signal,
    // A header without a value is left out: a browser with a session sends no key.
    headers: Object.entries(sent).filter(([, value]) => value !== ''),
  });
  const frames: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (frame) => void frames.push(frame) });
  const reader = response.body!.getReader();
  const decoder = new TextDecoder();

  async function next(): Promise<EventSourceMessage | undefined> {
    while (frames.length === 0) {
      const { done, value } = await reader.read();
      if (done) return undefined;
      parser.feed(decoder.decode(value, { stream: true }));
    }
    return frames.shift();
  }
  return {
    response,
    next,
    async rest() {
      const all: EventSourceMessage[] = [];
      for (let frame = await next(); frame !== undefined; frame = await next()) all.push(frame);
      return all;
    },
    close: () => abort.abort(),
  };
}

export async function allEvents(
  host: Pick<TestHost, 'url' | 'key'>,
  path: string,
  headers?: Readonly<Record<string, string>>,
): Promise<readonly EventSourceMessage[]> {
  return (await openEvents(host, path, headers)).rest();
}
