import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ToolCall } from '@baton/engine/ports';
import { afterEach, describe, expect, it } from 'vitest';
import { type GuardedFetch, guardedFetch } from './guarded-fetch.ts';
import { httpTool } from './http-tool.ts';
import type { HttpToolConfig } from './tools-config.ts';

const CANARY = 'canary-31f0b2';
const ending: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0)) await end();
});

interface Got {
  readonly request: IncomingMessage;
  readonly body: string;
}

async function serve(listener: RequestListener) {
  const got: Got[] = [];
  const server: Server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    got.push({ request, body });
    listener(request, response);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  ending.push(
    () => server.close(),
    () => server.closeAllConnections(),
  );
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, got };
}

function client(mode: 'guarded' | 'operator'): GuardedFetch['fetch'] {
  const made = guardedFetch({ mode, maxBytes: 100_000 });
  ending.push(() => made.close());
  return made.fetch;
}

function toolAt(url: string, more: Partial<HttpToolConfig> = {}) {
  const config: HttpToolConfig = {
    name: 'ticket',
    method: 'GET',
    url,
    headers: {},
    parameters: { type: 'object' },
    repeatable: 'yes',
    approval: false,
    scopes: [],
    private: true,
    timeoutMs: 10_000,
    ...more,
  };
  const secretOf = (tenant: string, name: string) =>
    tenant === 'acme' && name === 'TOKEN' ? CANARY : undefined;
  return httpTool(config, { guarded: client('guarded'), operator: client('operator') }, secretOf);
}

const call = (input: ToolCall['input'] = {}, more: Partial<ToolCall> = {}): ToolCall => ({
  id: 'http:ticket',
  input,
  tenant: 'acme',
  principal: 'ada',
  key: 'run-1:n:1:1:4',
  signal: new AbortController().signal,
  ...more,
});

const SECRET = { authorization: { kind: 'secret', name: 'TOKEN', prefix: 'Bearer ' } } as const;
const json =
  (value: unknown): RequestListener =>
  (_request, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));

it('is described with its approval and scopes', () => {
  const { descriptor } = toolAt('https://example.com/', { approval: true, scopes: ['workspace:write'] });
  expect(descriptor).toEqual({
    id: 'http:ticket',
    name: 'http_ticket',
    parameters: { type: 'object' },
    transport: 'http',
    repeatable: 'yes',
    approval: 'always',
    scopes: ['workspace:write'],
  });
});

describe('a call', () => {
  it('has its arguments in the path and the query, and the key, the trace and the secret as headers', async () => {
    const { url, got } = await serve(json({ found: [1, 2] }));
    const tool = toolAt(`${url}/projects/{project}?state=open`, { headers: SECRET });
    const input = { project: 'a/b', label: ['x', 'y z'], page: 2 };
    await expect(tool.run(call(input, { traceparent: '00-a-b-01' }))).resolves.toEqual({
      status: 'ok',
      output: { found: [1, 2] },
    });
    expect(got[0]!.request.url).toBe('/projects/a%2Fb?state=open&label=x&label=y+z&page=2');
    expect(got[0]!.request.headers).toMatchObject({
      authorization: `Bearer ${CANARY}`,
      'idempotency-key': 'run-1:n:1:1:4',
      traceparent: '00-a-b-01',
    });
    expect(got[0]!.body).toBe('');
  });

  it('has the other arguments in its body', async () => {
    const { url, got } = await serve(json(null));
    const tool = toolAt(`${url}/projects/{project}`, { method: 'POST' });
    await expect(tool.run(call({ project: 7, title: 'Tides', deep: { a: [1] } }))).resolves.toEqual({
      status: 'ok',
      output: null,
    });
    expect(got[0]!.request).toMatchObject({ method: 'POST', url: '/projects/7' });
    expect(got[0]!.request.headers['content-type']).toBe('application/json');
    expect(JSON.parse(got[0]!.body)).toEqual({ title: 'Tides', deep: { a: [1] } });
  });

  it.each([
    [{ project: '..' }, 'project'],
    [{ project: 'a', filter: { x: 1 } }, 'filter'],
  ])('with %j is refused before it is sent', async (input, name) => {
    const { url, got } = await serve(json(null));
    expect(await toolAt(`${url}/projects/{project}`).run(call(input))).toMatchObject({
      status: 'error',
      error: { code: 'input_invalid', message: expect.stringContaining(name) },
    });
    expect(got).toEqual([]);
  });

  it('to a private address is refused, unless the operator declared the address to be private', async () => {
    const { url, got } = await serve(json(null));
    await expect(toolAt(url, { private: false }).run(call())).resolves.toMatchObject({
      status: 'error',
      error: { code: 'tool_unavailable', message: expect.stringContaining('127.0.0.1') },
    });
    expect(got).toEqual([]);
    await expect(toolAt(url).run(call())).resolves.toMatchObject({ status: 'ok' });
  });

  it('of a tenant without the secret is not sent', async () => {
    const { url, got } = await serve(json(null));
    expect(await toolAt(url, { headers: SECRET }).run(call({}, { tenant: 'other' }))).toMatchObject({
      status: 'error',
      error: { code: 'tool_unavailable', message: expect.stringContaining('"TOKEN" is not set') },
    });
    expect(got).toEqual([]);
  });
});

describe('an answer', () => {
  it.each([
    ['text/plain', 'Tides', 'Tides'],
    ['application/problem+json', '{"a": 1}', { a: 1 }],
    ['application/json', 'not json', 'not json'],
    ['application/json', '{"__proto__": 1}', '{"__proto__": 1}'],
  ])('of the type %s', async (contentType, body, output) => {
    const { url } = await serve((_request, response) =>
      response.writeHead(200, { 'content-type': contentType }).end(body),
    );
    await expect(toolAt(url).run(call())).resolves.toEqual({ status: 'ok', output });
  });

  it.each([
    [404, 'No such ticket.', 'The tool answered with HTTP status 404: No such ticket.'],
    [500, '', 'The tool answered with HTTP status 500.'],
  ])('with the status %i is a failure', async (status, body, message) => {
    const { url } = await serve((_request, response) => response.writeHead(status).end(body));
    await expect(toolAt(url).run(call())).resolves.toEqual({
      status: 'error',
      error: { code: 'tool_failed', message },
    });
  });

  it.each([200, 400])('with the status %i never shows a secret that the tool repeats', async (status) => {
    const { url } = await serve((request, response) => {
      const { authorization = '' } = request.headers;
      const [, token = ''] = authorization.split(' ');
      const encoded = Buffer.from(token).toString('base64');
      const body = JSON.stringify({ [token]: { list: [authorization, encodeURIComponent(token), encoded] } });
      response.writeHead(status, { 'content-type': 'application/json' }).end(body);
    });
    const result = JSON.stringify(await toolAt(url, { headers: SECRET }).run(call()));
    expect(result).toContain('[REDACTED]');
    expect(result).not.toContain(CANARY);
    expect(result).not.toContain(Buffer.from(CANARY).toString('base64'));
  });

  it('that is too large is a failure', async () => {
    const { url } = await serve((_request, response) => response.end('x'.repeat(100_001)));
    await expect(toolAt(url).run(call())).resolves.toMatchObject({ error: { code: 'tool_result_invalid' } });
  });

  it('that does not come in time leaves the outcome open', async () => {
    const { url } = await serve(() => undefined);
    await expect(toolAt(url, { timeoutMs: 50 }).run(call())).resolves.toMatchObject({
      error: { code: 'tool_timeout', message: expect.stringContaining('may have done its work') },
    });
  });

  it('that is cut leaves the outcome open', async () => {
    const { url } = await serve((request) => request.socket.destroy());
    await expect(toolAt(url, { method: 'POST' }).run(call())).resolves.toMatchObject({
      error: { code: 'tool_outcome_unknown' },
    });
  });

  it('that redirects to an address without a body shows no header there', async () => {
    const other = await serve(json('there'));
    const { url } = await serve((_request, response) =>
      response.writeHead(302, { location: other.url }).end(),
    );
    await expect(toolAt(url, { headers: SECRET }).run(call())).resolves.toEqual({
      status: 'ok',
      output: 'there',
    });
    expect(JSON.stringify(other.got[0]!.request.headers)).not.toContain(CANARY);
  });

  it('that redirects a POST elsewhere is a failure', async () => {
    const other = await serve(json('there'));
    const { url } = await serve((_request, response) =>
      response.writeHead(307, { location: other.url }).end(),
    );
    await expect(toolAt(url, { method: 'POST' }).run(call())).resolves.toMatchObject({
      error: { code: 'tool_failed', message: expect.stringContaining('redirected') },
    });
    expect(other.got).toEqual([]);
  });
});
