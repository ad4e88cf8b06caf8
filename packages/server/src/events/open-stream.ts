import type { FastifyReply } from 'fastify';
import type { Lingering } from '../http/lingering.ts';
import { takeOver } from '../http/take-over.ts';

interface StreamEvents {
  /** The reader has taken the data sent before. */
  readonly onReady: () => void;
  /** The stream is over, no matter which side ended it. Called once. */
  readonly onEnd: () => void;
}

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};

const KEEP_ALIVE_MS = 15_000;
/** Bytes that a reader may be behind before it misses what is not in the log. */
const MOST_UNREAD = 1024 * 1024;

/** Sends a complete stream: head, frames and end leave in one write. */
export function sendWhole(reply: FastifyReply, text: string): void {
  takeOver(reply, HEADERS).end(text);
}

/** A server-sent event stream to one reader. */
export function openStream(reply: FastifyReply, lingering: Lingering, events: StreamEvents) {
  const response = takeOver(reply, HEADERS);
  response.flushHeaders();
  const keepAlive = setInterval(() => {
    if (!response.writableNeedDrain) response.write(': keep-alive\n\n');
  }, KEEP_ALIVE_MS);
  function end(): void {
    // A reader that stalls keeps an ended response open; nothing may be written to it any more.
    clearInterval(keepAlive);
    response.end();
  }
  const forget = lingering.add(end, reply.request.identity ?? undefined);
  response.on('drain', events.onReady);
  response.once('close', () => {
    clearInterval(keepAlive);
    forget();
    events.onEnd();
  });
  return {
    /** False when the reader has not yet taken the data sent before; `onReady` is called when it has. */
    write: (text: string) => !response.writableEnded && response.write(text),
    /** Writes the text, unless the reader is far behind. */
    offer(text: string): void {
      if (!response.writableEnded && response.writableLength < MOST_UNREAD) response.write(text);
    },
    end,
    /** Breaks the connection, so that the reader knows that the stream is incomplete. */
    abort: () => void response.destroy(),
  };
}
