import type { Pace } from '../pace.ts';

/** The body of a response, as it arrives from a socket. */
interface PacedBody {
  readonly stream: ReadableStream<Uint8Array>;
  add(chunk: Uint8Array): void;
  end(): void;
  fail(error: Error): void;
}

interface Socket {
  pause(): void;
  resume(): void;
  /** The reader does not want the rest. */
  abort(): void;
}

/** Bytes that may wait for the reader before the socket is paused. */
const MOST_UNREAD = 1024 * 1024;

/** The first part of the body can be read at once, those after it when `pace` says so. */
export function pacedBody(socket: Socket, pace: Pace): PacedBody {
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  let isFirst = true;
  let isOver = false;
  let isPaused = false;
  let queue: ReadableStreamDefaultController<Uint8Array> | undefined;

  const isFull = () => heldBytes >= MOST_UNREAD || (queue?.desiredSize ?? 1) <= 0;

  function release(): void {
    if (isOver || held.length === 0) return;
    const [first = new Uint8Array()] = held;
    queue?.enqueue(held.length === 1 ? first : Buffer.concat(held, heldBytes));
    held = [];
    heldBytes = 0;
    resume();
  }

  function resume(): void {
    if (!isPaused || isOver || isFull()) return;
    isPaused = false;
    socket.resume();
  }

  const stream = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        queue = controller;
      },
      pull: resume,
      cancel() {
        isOver = true;
        socket.abort();
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: MOST_UNREAD }),
  );

  return {
    stream,
    add(chunk) {
      if (isOver) return;
      held.push(chunk);
      heldBytes += chunk.byteLength;
      if (isFirst) release();
      else if (held.length === 1) pace(release);
      isFirst = false;
      if (isPaused || !isFull()) return;
      isPaused = true;
      socket.pause();
    },
    end() {
      if (isOver) return;
      release();
      isOver = true;
      queue?.close();
    },
    fail(error) {
      if (isOver) return;
      isOver = true;
      queue?.error(error);
    },
  };
}
