import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came
  readonly body: any;
}

interface Receiver {
  readonly url: string;
  readonly received: Received[];
  /** The status of every answer, and its headers. */
  answer: { status: number; headers?: Record<string, string> };
  /** Resolves when so many requests have come. */
  count(number: number): Promise<readonly Received[]>;
}

/** A receiver of webhooks on loopback. */
export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const waiting = new Set<() => void>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      received.push({ headers: request.headers, text, body: JSON.parse(text) });
      response.writeHead(self.answer.status, self.answer.headers).end();
      for (const look of waiting) look();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const self: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    answer: { status: 204 },
    count: (number) =>
      new Promise((resolve) => {
        const look = () => {
          if (received.length < number) return;
          waiting.delete(look);
          resolve(received);
        };
        waiting.add(look);
        look();
      }),
  };
  return self;
}
