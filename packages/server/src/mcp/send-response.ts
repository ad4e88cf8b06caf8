import type { FastifyReply } from 'fastify';
import { openStream } from '../events/open-stream.ts';
import type { McpCall } from './call.ts';

/** Sends the answer that the SDK has made. Secrets of the tenant are removed from all parts of it. */

/** Headers of the SDK that clients need. The host sets all others itself. */
const HEADERS = ['mcp-session-id', 'allow'];

export async function sendResponse(
  call: McpCall,
  reply: FastifyReply,
  response: Response,
): Promise<FastifyReply> {
  const isGone = reply.raw.destroyed;
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  if (isGone) {
    await response.body?.cancel();
    return reply.hijack();
  }
  for (const name of HEADERS) {
    const value = response.headers.get(name);
    if (value !== null) reply.raw.setHeader(name, value);
  }
  if (isStream && response.body !== null) {
    await sendStream(call, reply, response.body);
    return reply;
  }
  const text = await response.text();
  reply.code(response.status);
  return text === '' ? reply.send() : reply.type('application/json; charset=utf-8').send(text);
}

/** Resolves when the stream is over. A reader that goes away cancels the stream of the SDK. */
async function sendStream(
  { host, identity }: McpCall,
  reply: FastifyReply,
  body: ReadableStream<Uint8Array>,
): Promise<void> {
  const reader = body.getReader();
  let ready = (): void => undefined;
  const stream = openStream(reply, host.lingering, {
    onReady: () => ready(),
    onEnd: () => {
      ready();
      host.metrics.streams.dec();
      reader.cancel().catch(() => undefined);
    },
  });
  host.metrics.streams.inc();
  try {
    for await (const frame of framesIn(reader)) {
      const taken = new Promise<void>((resolve) => {
        ready = resolve;
      });
      const sent = stream.write(`${told(frame, (data) => host.telling.json(identity.tenant, data))}\n\n`);
      // A slow reader delays only itself: the next frame is sent when this one was taken.
      if (!sent && !reply.raw.destroyed) await taken;
    }
    stream.end();
  } catch (error) {
    host.log.error({ err: error }, 'cannot go on with a stream of MCP');
    stream.abort();
  }
}

async function* framesIn(reader: ReadableStreamDefaultReader<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const frames = (rest + decoder.decode(value, { stream: true })).split('\n\n');
    rest = frames.pop() ?? '';
    yield* frames;
  }
}

const DATA = 'data: ';

/** The SDK writes the whole message of a frame in one line. */
function told(frame: string, telling: (data: string) => string): string {
  return frame
    .split('\n')
    .map((line) => (line.startsWith(DATA) ? DATA + telling(line.slice(DATA.length)) : line))
    .join('\n');
}
