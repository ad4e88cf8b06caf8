import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';

/** A collector of OpenTelemetry that takes spans as JSON over HTTP. */

export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly status: { readonly code?: number };
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
}

export interface Collector {
  readonly url: string;
  readonly spans: ReceivedSpan[];
  /** The bodies as they came, and the headers with them. */
  readonly messages: { readonly headers: IncomingHttpHeaders; readonly body: Buffer }[];
  /** The status of the next answers. */
  will(status: number): void;
  stop(): Promise<void>;
}

interface Message {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly { readonly spans: readonly ReceivedSpan[] }[];
  }[];
}

export async function startCollector(): Promise<Collector> {
  const spans: ReceivedSpan[] = [];
  const messages: Collector['messages'] = [];
  let status = 200;
  const server = createServer(async (request, response) => {
    const body = await bodyOf(request);
    messages.push({ headers: request.headers, body });
    if (status === 200 && request.headers['content-type'] === 'application/json') {
      const { resourceSpans } = JSON.parse(body.toString()) as Message;
      for (const { scopeSpans } of resourceSpans) for (const scope of scopeSpans) spans.push(...scope.spans);
    }
    response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1/traces`,
    spans,
    messages,
    will(next) {
      status = next;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const whole = Buffer.concat(chunks);
  return request.headers['content-encoding'] === 'gzip' ? gunzipSync(whole) : whole;
}

export const traceSettings = (url: string, protocol: 'http/json' | 'http/protobuf' = 'http/json') => ({
  url,
  protocol,
  headers: { 'x-team': 'tides' },
  resource: { 'service.name': 'desk' },
});
