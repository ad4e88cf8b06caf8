import type { OutputChunk, RunEvent, RunSnapshot, StreamMode } from '@baton/protocol';
import type { EventSourceMessage } from 'eventsource-parser';
import type { Connection } from '../http/connection.ts';
import { unexpected } from '../http/failures.ts';
import { open } from '../http/request.ts';
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
  const response = await open(connection, 'readEvents', {
    params: { runId },
    query: { streamMode: modes.join(',') },
    headers: {
      accept: 'text/event-stream',
      'last-event-id': from > 0 ? String(from - 1) : undefined,
    },
    signal,
  });
  const { body, headers, status } = response;
  if (body === null || !headers.get('content-type')?.startsWith('text/event-stream')) {
    throw unexpected(connection.base, status, headers.get('content-type') ?? '');
  }
  return itemsOf(connection, body);
}

async function* itemsOf(
  connection: Connection,
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<StreamItem, void, undefined> {
  for await (const frame of framesOf(connection, body)) yield itemIn(connection, frame);
}

function itemIn({ base }: Connection, { event, data }: EventSourceMessage): StreamItem {
  const value = dataOf(base, data);
  if (event === 'ai.message.chunk') return { kind: 'chunk', chunk: value as OutputChunk };
  if (event === 'values') return { kind: 'values', snapshot: value as RunSnapshot };
  return { kind: 'event', event: value as RunEvent };
}

function dataOf(base: string, data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    throw unexpected(base, 200, data);
  }
}
