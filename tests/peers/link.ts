import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JsonObject } from '@baton/protocol';

/** The connection from one host to another, as a proxy that a test can disturb. */

/** A request on its way. */
export interface Passing {
  /** The method of A2A (`GetTask`), or the path of another request. */
  readonly name: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

interface Passed extends Passing {
  status?: number;
}

export interface Brought {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** What happens to a request: `forward` asks the other host. Without an answer the connection is cut. */
export type Disturbance = (
  request: Passing,
  forward: (changed?: Partial<Passing>) => Promise<Brought>,
) => Promise<Brought | undefined>;

export interface Link {
  readonly url: string;
  /** The requests in their order, with the status of the answers that have come. */
  readonly passed: readonly Passed[];
  /** Where the other host is. */
  leadTo(url: string): void;
  /** `undefined`: nothing is disturbed any more. */
  disturb(how: Disturbance | undefined): void;
  close(): void;
}

export async function startLink(): Promise<Link> {
  const passed: Passed[] = [];
  let target = '';
  let disturbance: Disturbance | undefined;

  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const request: Passed = await requestIn(incoming);
    passed.push(request);
    const forward = (changed: Partial<Passing> = {}) =>
      ask(target, incoming.method, { ...request, ...changed });
    const brought = await (disturbance ?? ((_request, go) => go()))(request, forward);
    if (brought !== undefined) request.status = brought.status;
    if (brought === undefined) response.destroy();
    else response.writeHead(brought.status, { 'content-type': brought.contentType }).end(brought.body);
  }

  const server = createServer((incoming, response) => {
    answer(incoming, response).catch(() => response.destroy());
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    passed,
    leadTo(url) {
      target = url;
    },
    disturb(how) {
      disturbance = how;
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function requestIn(incoming: IncomingMessage): Promise<Passing> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks).toString();
  const { url: path = '/', headers } = incoming;
  const dropped = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'accept-encoding']);
  const kept = Object.entries(headers).filter(([name]) => !dropped.has(name));
  return {
    name: nameOf(path, body),
    path,
    headers: Object.fromEntries(kept) as Record<string, string>,
    body,
  };
}

function nameOf(path: string, body: string): string {
  return path === '/v1/a2a' ? String((JSON.parse(body) as JsonObject).method) : path;
}

async function ask(
  target: string,
  method: string | undefined,
  { path, headers, body }: Passing,
): Promise<Brought> {
  const response = await fetch(target + path, {
    method,
    headers,
    ...(method !== 'GET' && { body }),
    redirect: 'manual',
  });
  return {
    status: response.status,
    contentType: response.headers.get('content-type') ?? 'text/plain',
    body: await response.text(),
  };
}
