import type { Connection } from '../http/connection.ts';
import { unexpected } from '../http/failures.ts';
import { open, type RequestParts } from '../http/request.ts';
import type { CalledOperation } from '../http/routes.ts';
import { framesOf } from './frames.ts';

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
