import type { IncomingMessage } from 'node:http';

/**
 * A connection that is closed while bytes of it are unread is reset, and the client may lose the answer with them. So
 * the rest of a body that is too large is read and dropped before the answer, within these bounds.
 */
const MOST_BYTES = 64 * 1024 * 1024;
const LONGEST_MS = 2000;

/** Calls back once: after the end of the body, or at the bounds. */
export function dropRest(body: IncomingMessage, done: () => void): void {
  if (body.complete || body.destroyed) {
    done();
    return;
  }
  let dropped = 0;
  const count = (chunk: Buffer): void => {
    dropped += chunk.length;
    if (dropped > MOST_BYTES) finish();
  };
  const finish = (): void => {
    clearTimeout(timer);
    body.off('data', count).off('end', finish).off('close', finish).pause();
    done();
  };
  const timer = setTimeout(finish, LONGEST_MS);
  body.on('data', count).once('end', finish).once('close', finish).resume();
}
