import { Agent, type Dispatcher } from 'undici';
import type { Pace } from '../pace.ts';

/**
 * A `fetch` for a POST whose answer is a stream. The `fetch` of Node passes every part of a body through two
 * more streams, which costs more than the rest of reading it.
 */

interface Hearing {
  /** A part of the body has arrived. It is not passed on when this returns false. */
  arrived(bytes: number): boolean;
  /** The body is complete. */
  ended(): void;
  readonly pace: Pace;
}

/** Statuses whose response cannot have a body. */
const WITHOUT_BODY = new Set([204, 205, 304]);
/** The packages cannot read a compressed body, so a vendor must not send one. */
const ASKED = { accept: '*/*', 'accept-encoding': 'identity' };

/**
 * The time-outs are those of the caller. A redirect is not followed: the request holds a key and the data of a
 * tenant, and the operator has named the address that may have them.
 */
const agent = new Agent({ headersTimeout: 0, bodyTimeout: 0 });

export function streamedFetch(url: URL, init: RequestInit, hearing: Hearing): Promise<Response> {
  const { signal, body } = init;
  if (signal?.aborted) return Promise.reject(aborted());
  return new Promise((resolve, reject) => {
    let socket: Dispatcher.DispatchController | undefined;
    let answer: ReturnType<typeof pacedBody> | undefined;

    function abort(): void {
      reject(aborted());
      socket?.abort(aborted());
    }
    signal?.addEventListener('abort', abort, { once: true });
    const over = () => signal?.removeEventListener('abort', abort);

    agent.dispatch(
      {
        origin: url.origin,
        path: `${url.pathname}${url.search}`,
        method: 'POST',
        headers: { ...ASKED, ...Object.fromEntries(new Headers(init.headers)) },
        body: typeof body === 'string' ? body : null,
      },
      {
        // Not before there is a connection, which may be after the call was aborted.
        onRequestStart(controller) {
          socket = controller;
          if (signal?.aborted) abort();
        },
        onResponseStart(controller, status, headers, statusText = '') {
          if (status < 200) return;
          answer = pacedBody(pausing(controller), hearing.pace);
          const head = { status, statusText, headers: headersOf(headers) };
          resolve(new Response(WITHOUT_BODY.has(status) ? null : answer.stream, head));
        },
        onResponseData(_, chunk) {
          if (hearing.arrived(chunk.byteLength)) answer?.add(chunk);
        },
        onResponseEnd() {
          over();
          hearing.ended();
          answer?.end();
        },
        onResponseError(_, error) {
          over();
          reject(error);
          answer?.fail(error);
        },
      },
    );
  });
}

function pausing(controller: Dispatcher.DispatchController) {
  return {
    pause: () => controller.pause(),
    resume: () => controller.resume(),
    abort: () => controller.abort(aborted()),
  };
}

function aborted(): DOMException {
  return new DOMException('The call was aborted.', 'AbortError');
}

function headersOf(given: Readonly<Record<string, string | string[] | undefined>>): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(given)) {
    for (const one of typeof value === 'string' ? [value] : (value ?? [])) headers.append(name, one);
  }
  return headers;
}

interface Socket {
  pause(): void;
  resume(): void;
  /** The reader does not want the rest. */
  abort(): void;
}

/** Bytes that may wait for the reader before the socket is paused. */
const MOST_UNREAD = 1024 * 1024;

/**
 * The body of a response, as it arrives from a socket. The first part of the body can be read at once, those
 * after it when `pace` says so.
 */
export function pacedBody(socket: Socket, pace: Pace) {
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
    add(chunk: Uint8Array): void {
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
    end(): void {
      if (isOver) return;
      release();
      isOver = true;
      queue?.close();
    },
    fail(error: Error): void {
      if (isOver) return;
      isOver = true;
      queue?.error(error);
    },
  };
}
