import { Agent, request as send } from 'node:http';
import type { FuzzAnswer } from './judge.ts';
import type { FuzzRequest } from './requests.ts';

/** Sends requests over connections that are kept, and leaves streams that have more to come. */
export interface Wire {
  exchange(request: FuzzRequest, key: string | undefined): Promise<FuzzAnswer>;
  close(): void;
}

const STREAM_MS = 100;

export function openWire(url: string, connections: number): Wire {
  const { hostname, port } = new URL(url);
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  return {
    close: () => agent.destroy(),
    exchange: ({ method, path, headers, body }, key) =>
      new Promise((resolve, reject) => {
        const authorization = key === undefined ? {} : { authorization: `Bearer ${key}` };
        const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
        const outgoing = send(
          { agent, hostname, port, method, path, headers: { ...headers, ...authorization, ...length } },
          (incoming) => {
            let text = '';
            let over = false;
            const finish = (cut: boolean): void => {
              if (over) return;
              over = true;
              resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text, cut });
            };
            const isStream = incoming.headers['content-type']?.startsWith('text/event-stream') ?? false;
            // A stream of a run that waits may have nothing to say.
            const leave = setTimeout(() => {
              if (!isStream) return;
              finish(true);
              outgoing.destroy();
            }, STREAM_MS);
            incoming.once('close', () => clearTimeout(leave));
            incoming.setEncoding('utf8');
            incoming.on('data', (chunk: string) => {
              text += chunk;
              if (!isStream) return;
              finish(true);
              outgoing.destroy();
            });
            incoming.on('end', () => finish(false));
            incoming.on('error', (error) => (over ? undefined : reject(error)));
          },
        );
        outgoing.on('error', reject);
        outgoing.end(body);
      }),
  };
}
