import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A host whose run has ended, behind a proxy that loses connections. */

/** How a connection ends early: `reset` breaks it, `close` ends the answer as if it were whole. */
export type Cut = { readonly after: number; readonly how: 'reset' | 'close' };

export interface CuttingProxy {
  readonly url: string;
  /** The bytes of the whole stream, from the first event on. */
  readonly size: number;
  /** The Last-Event-ID of each request for the stream, since the last `plan`. */
  readonly asked: readonly (string | undefined)[];
  /** The cuts of the next streams, in their order. Later streams are whole. */
  plan(...cuts: readonly Cut[]): void;
  stop(): void;
}

export async function cuttingProxy(events: readonly object[]): Promise<CuttingProxy> {
  const asked: (string | undefined)[] = [];
  let cuts: Cut[] = [];
  const frameOf = (event: object, sequence: number): string =>
    `event: ${(event as { type: string }).type}\nid: ${sequence}\ndata: ${JSON.stringify(event)}\n\n`;
  const from = (first: number): Buffer =>
    Buffer.from(`: keep-alive\n\n${events.map(frameOf).slice(first).join('')}`);

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://proxy');
    if (url.pathname.endsWith('/poll')) {
      const rest = events.slice(Number(url.searchParams.get('lastSequence')) + 1);
      response.setHeader('content-type', 'application/json');
      // The proxy must not help out: without the stream there are no more events.
      response.end(JSON.stringify({ events: [], isComplete: rest.length === 0 }));
      return;
    }
    const last = request.headers['last-event-id'];
    asked.push(typeof last === 'string' ? last : undefined);
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    send(response, from(last === undefined ? 0 : Number(last) + 1), cuts.shift());
  });
  const url = await listening(server);
  return {
    url,
    size: from(0).length,
    asked,
    plan(...next) {
      cuts = [...next];
      asked.length = 0;
    },
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function send(response: ServerResponse, bytes: Buffer, cut: Cut | undefined): void {
  if (cut === undefined) {
    response.end(bytes);
    return;
  }
  const part = bytes.subarray(0, cut.after);
  if (cut.how === 'close') response.end(part);
  else response.write(part.length === 0 ? '' : part, () => response.socket?.destroy());
  // Nothing is flushed by an empty write, so the head of the answer is sent first.
  if (cut.how === 'reset') response.flushHeaders();
}

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
