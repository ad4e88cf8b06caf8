import { createParser, type EventSourceMessage } from 'eventsource-parser';
import type { Connection } from '../http/connection.ts';
import { cutOff } from '../http/failures.ts';

/**
 * The frames of a stream of server-sent events, until the other side closes it. A frame that is not complete when the
 * connection ends is dropped. Throws `host_unreachable` when the connection is lost, or brings nothing for too long.
 */
export async function* framesOf(
  { base, patience }: Pick<Connection, 'base' | 'patience'>,
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<EventSourceMessage, void, undefined> {
  const frames: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (frame) => void frames.push(frame) });
  const reader = body.getReader();
  const decoder = new TextDecoder();
  try {
    for (;;) {
      const { done, value } = await within(patience.silenceMs, reader.read());
      if (done) return;
      parser.feed(decoder.decode(value, { stream: true }));
      yield* frames.splice(0);
    }
  } catch (cause) {
    throw cutOff(base, cause);
  } finally {
    // The stream may be broken already; there is nothing left to be told about it.
    reader.cancel().catch(() => undefined);
  }
}

async function within<T>(milliseconds: number, reading: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`The stream brought nothing for ${milliseconds} ms.`)),
      milliseconds,
    );
  });
  try {
    return await Promise.race([reading, silence]);
  } finally {
    clearTimeout(timer);
  }
}
