import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { ask, configOf, connected, providerAt, requestTo } from './asking.ts';

/** How the requests of model calls are sent. */

const servers: ReturnType<typeof createServer>[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

async function serving(
  handle: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<string> {
  const server = createServer(handle);
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const asking = (baseURL: string, more: Parameters<typeof ask>[2] = {}) =>
  ask(connected(configOf({ p: providerAt('compatible', `${baseURL}/v1`) })), requestTo('p', 'm'), more);

const frame = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const ANSWER = `${frame({ content: 'Grüße' })}${frame({}, 'stop')}data: [DONE]\n\n`;
const STREAM = { 'content-type': 'text/event-stream' };

it('does not allow a compressed answer', async () => {
  const base = await serving((request, response) => {
    expect(request.headers['accept-encoding']).toBe('identity');
    response.writeHead(200, STREAM).end(ANSWER);
  });
  expect((await asking(base)).answer).toMatchObject({ kind: 'text', text: 'Grüße' });
});

it('reads characters that arrive in parts', async () => {
  const bytes = Buffer.from(ANSWER);
  const base = await serving((_, response) => {
    response.writeHead(200, STREAM);
    const sent = (at: number) => {
      if (at === bytes.length) response.end();
      else response.write(bytes.subarray(at, at + 1), () => setImmediate(sent, at + 1));
    };
    sent(0);
  });
  expect(await asking(base)).toMatchObject({ progress: 'Grüße', answer: { kind: 'text', text: 'Grüße' } });
});

it.each([301, 302, 303, 307, 308])(
  'follows no redirect of status %i, so that no key leaves its vendor',
  async (status) => {
    const followed: string[] = [];
    const target = await serving((request, response) => {
      followed.push(request.url ?? '');
      response.writeHead(200, STREAM).end(ANSWER);
    });
    const base = await serving((request, response) => {
      response.writeHead(status, { location: `${target}${request.url}` }).end();
    });
    expect((await asking(base)).answer).toMatchObject({
      kind: 'error',
      retryable: false,
      error: { code: 'provider_rejected', message: expect.stringContaining('baseURL'), details: { status } },
    });
    expect(followed).toEqual([]);
  },
);

it.each([204, 205, 304])('fails when the status is %i, which has no body', async (status) => {
  const base = await serving((_, response) => void response.writeHead(status).end());
  expect((await asking(base)).answer).toMatchObject({ kind: 'error' });
});

it.each([
  ['before it is sent', (abort: () => void) => abort()],
  ['before there is a connection', (abort: () => void) => queueMicrotask(abort)],
])('does not wait for a connection when the call is aborted %s', async (_, when) => {
  const abort = new AbortController();
  // The first timer is set right before the request is sent.
  const later = () => {
    when(() => abort.abort());
    return () => undefined;
  };
  // A reserved address, to which no connection is made.
  const models = connected(configOf({ p: providerAt('compatible', 'http://192.0.2.1:9/v1') }), { later });
  const { answer } = await ask(models, requestTo('p', 'm'), { signal: abort.signal });
  expect(answer).toMatchObject({ kind: 'error', error: { code: 'provider_interrupted' } });
});
