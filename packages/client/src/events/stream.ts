import type { OutputChunk, RunEvent, RunSnapshot, StreamMode } from '@baton/protocol';
import type { Connection } from '../http/connection.ts';
import { unexpected } from '../http/failures.ts';
import { open, type RequestParts } from '../http/request.ts';
import type { CalledOperation } from '../http/routes.ts';
import { framesOf } from './frames.ts';

/** One connection to the stream of a run. */

/** What a stream brings: an event of the log, a part of a text that is not recorded yet, or the state of the run. */
type StreamItem =
  | { readonly kind: 'event'; readonly event: RunEvent }
  | { readonly kind: 'chunk'; readonly chunk: OutputChunk }
  | { readonly kind: 'values'; readonly snapshot: RunSnapshot };

interface Opening {
  readonly runId: string;
  /** The sequence of the first event that is wanted. */
  readonly from: number;
  readonly modes: readonly StreamMode[];
  readonly signal?: AbortSignal;
}

/** Resolves when the host has accepted the stream. Its items end when the other side closes the connection. */
export async function openStream(
  connection: Connection,
  { runId, from, modes, signal }: Opening,
): Promise<AsyncGenerator<StreamItem, void, undefined>> {
  const frames = await openFrames(connection, 'readEvents', {
    params: { runId },
    query: { streamMode: modes.join(',') },
    headers: { 'last-event-id': from > 0 ? String(from - 1) : undefined },
    signal,
  });
  return itemsOf(frames);
}

async function* itemsOf(
  frames: Awaited<ReturnType<typeof openFrames>>,
): AsyncGenerator<StreamItem, void, undefined> {
  for await (const { name, value } of frames) {
    if (name === 'ai.message.chunk') yield { kind: 'chunk', chunk: value as OutputChunk };
    else if (name === 'values') yield { kind: 'values', snapshot: value as RunSnapshot };
    else yield { kind: 'event', event: value as RunEvent };
  }
}

/** One frame of a stream: its name and its data. */
interface Frame {
  readonly name: string | undefined;
  readonly value: unknown;
}

/** Resolves when the host has accepted the stream. Its frames end when the other side closes the connection. */
export async function openFrames(
  connection: Connection,
  operation: CalledOperation,
  { headers: given, ...parts }: RequestParts,
): Promise<AsyncGenerator<Frame, void, undefined>> {
  const accepting = { accept: 'text/event-stream', ...given };
  const { body, headers, status } = await open(connection, operation, { ...parts, headers: accepting });
  if (body === null || !headers.get('content-type')?.startsWith('text/event-stream')) {
    throw unexpected(connection.base, status, headers.get('content-type') ?? '');
  }
  return framesIn(connection, body);
}

async function* framesIn(
  connection: Connection,
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<Frame, void, undefined> {
  for await (const { event, data } of framesOf(connection, body)) {
    yield { name: event, value: dataOf(connection.base, data) };
  }
}

function dataOf(base: string, data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    throw unexpected(base, 200, data);
  }
}
