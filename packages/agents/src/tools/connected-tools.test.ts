import type { ToolCall } from '@baton/engine/ports';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { connectTools, type ToolsOptions } from './connected-tools.ts';
import type { Fetch } from './guarded-fetch.ts';
import { type HttpToolConfig, NO_TOOLS, type ToolsConfig } from './tools-config.ts';

const stopping: (() => Promise<void>)[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const stop of stopping.splice(0)) await stop();
});

function connect(config: Partial<ToolsConfig>, fetch: Fetch, more: Partial<ToolsOptions> = {}) {
  const tools = connectTools(
    { ...NO_TOOLS, ...config },
    {
      secretOf: (tenant) => (tenant === 'acme' ? 'value-of-acme' : undefined),
      log: { warn: () => undefined },
      fetches: { guarded: fetch, operator: fetch, streaming: fetch },
      ...more,
    },
  );
  stopping.push(() => tools.stop());
  return tools;
}

const http = (name: string, more: Partial<HttpToolConfig> = {}): HttpToolConfig => ({
  name,
  method: 'GET',
  url: 'https://example.com/',
  headers: {},
  parameters: { type: 'object', properties: { page: { type: 'integer' } }, additionalProperties: false },
  repeatable: 'yes',
  approval: false,
  scopes: [],
  private: false,
  timeoutMs: 1_000,
  ...more,
});

const answering = (value: unknown) => {
  const asked: string[] = [];
  const fetch: Fetch = async (url) => {
    asked.push(String(url));
    const body = JSON.stringify(value);
    return new Response(body, { headers: { 'content-type': 'application/json' } });
  };
  return { fetch, asked };
};

const call = (id: string, input: ToolCall['input'] = {}, more: Partial<ToolCall> = {}): ToolCall => ({
  id,
  input,
  tenant: 'acme',
  principal: 'ada',
  key: 'k',
  signal: new AbortController().signal,
  ...more,
});

describe('the surface', () => {
  const config = {
    http: [
      http('ticket'),
      http('tickets'),
      http('paid', { headers: { a: { kind: 'secret', name: 'X', prefix: '' } } }),
    ],
  };
  const surface = async (tenant: string, ...allowed: string[]) => {
    const { tools, degraded } = await connect(config, answering(1).fetch).surface(tenant, allowed);
    return [tools.map(({ id }) => id), degraded];
  };

  it('has the tools of the allow-list and no others', async () => {
    await expect(surface('acme')).resolves.toEqual([[], []]);
    await expect(surface('acme', 'http:ticket')).resolves.toEqual([['http:ticket'], []]);
    await expect(surface('acme', 'http:ticket*', 'baton:time', 'http:ticket')).resolves.toEqual([
      ['baton:time', 'http:ticket', 'http:tickets'],
      [],
    ]);
    await expect(surface('acme', '*')).resolves.toEqual([
      ['baton:calculate', 'baton:fetch', 'baton:time', 'http:paid', 'http:ticket', 'http:tickets'],
      [],
    ]);
  });

  it('names what is not there', async () => {
    const others = ['http:Ticket', 'http_ticket', 'ticket', 'http:ticket ', 'mcp:files/*', 'http:x*', ''];
    await expect(surface('acme', 'http:ticket', ...others)).resolves.toEqual([
      ['http:ticket'],
      [...others].sort(),
    ]);
  });

  it('names tools whose secret the tenant does not have', async () => {
    await expect(surface('other', 'http:*')).resolves.toEqual([
      ['http:ticket', 'http:tickets'],
      ['http:paid'],
    ]);
    await expect(surface('acme', 'http:*')).resolves.toEqual([
      ['http:paid', 'http:ticket', 'http:tickets'],
      [],
    ]);
  });
});

describe('a call', () => {
  it.each(['http:Ticket', 'http_ticket', 'http:ticket ', 'http:*', '*', '', 'constructor', 'mcp:files/read'])(
    'of "%s" calls nothing',
    async (id) => {
      const { fetch, asked } = answering(1);
      const tools = connect({ http: [http('ticket')] }, fetch);
      await expect(tools.call(call(id))).resolves.toMatchObject({
        status: 'error',
        error: { code: 'tool_not_found' },
      });
      expect(asked).toEqual([]);
    },
  );

  it('with arguments of another form calls nothing', async () => {
    const { fetch, asked } = answering(1);
    const tools = connect({ http: [http('ticket')] }, fetch);
    await expect(tools.call(call('http:ticket', { page: 'x' }))).resolves.toMatchObject({
      status: 'error',
      error: { code: 'input_invalid', message: expect.stringContaining('page') },
    });
    await expect(tools.call(call('http:ticket', { other: 1 }))).resolves.toMatchObject({ status: 'error' });
    expect(asked).toEqual([]);
  });

  it('whose result has another form than declared is a failure', async () => {
    const returns = { type: 'object', properties: { n: { type: 'number' } } };
    const tools = connect({ http: [http('ticket', { returns })] }, answering({ n: 'canary' }).fetch);
    expect(await tools.call(call('http:ticket'))).toEqual({
      status: 'error',
      error: {
        code: 'tool_result_invalid',
        message: 'The result of the tool is not of the form that it declares (n).',
      },
    });
  });

  it('whose result is too long gets its beginning and a note', async () => {
    const tools = connect({ http: [http('ticket')] }, answering({ text: '😀'.repeat(100) }).fetch, {
      maxResultCharacters: 20,
    });
    const result = (await tools.call(call('http:ticket'))) as { output: string };
    expect(result.output).toMatch(/^\{"text":"(?:😀){5}\n\[The result was cut\. It has 211 characters/);
    expect(result.output.isWellFormed()).toBe(true);
  });

  it('that meets a defect tells no message of it', async () => {
    const tools = connect(
      { http: [http('ticket', { headers: { a: { kind: 'secret', name: 'X', prefix: '' } } })] },
      answering(1).fetch,
      {
        secretOf: () => {
          throw new Error('canary');
        },
      },
    );
    const result = await tools.call(call('http:ticket'));
    expect(result).toMatchObject({ status: 'error', error: { code: 'tool_failed' } });
    expect(JSON.stringify(result)).not.toContain('canary');
  });
});

describe('a limit', () => {
  const limited = (fetch: Fetch) =>
    connect(
      {
        http: [http('ticket'), http('other')],
        limits: [
          { tools: '*', calls: 1, perSeconds: 60 },
          { tools: 'http:tick*', calls: 2, perSeconds: 60 },
        ],
      },
      fetch,
    );

  it('counts each tool for each principal of each tenant, and the most particular one holds', async () => {
    const { fetch, asked } = answering(1);
    const tools = limited(fetch);
    const status = async (...given: Parameters<typeof call>) => (await tools.call(call(...given))).status;
    expect([await status('http:ticket'), await status('http:ticket')]).toEqual(['ok', 'ok']);
    const third = await tools.call(call('http:ticket'));
    expect(third).toEqual({ status: 'rate_limited', retryAfterMs: expect.any(Number) });
    expect((third as { retryAfterMs: number }).retryAfterMs).toBeGreaterThan(0);
    expect(asked).toHaveLength(2);
    expect(await status('http:ticket', {}, { principal: 'bo' })).toBe('ok');
    expect(await status('http:ticket', {}, { tenant: 'other' })).toBe('ok');
    expect([await status('http:other'), await status('http:other')]).toEqual(['ok', 'rate_limited']);
  });

  it('counts no call that is refused for its arguments', async () => {
    const tools = limited(answering(1).fetch);
    await tools.call(call('http:other', { page: 'x' }));
    await expect(tools.call(call('http:other'))).resolves.toMatchObject({ status: 'ok' });
  });

  it('ends with its time', async () => {
    vi.useFakeTimers();
    const tools = limited(answering(1).fetch);
    await tools.call(call('http:other'));
    await expect(tools.call(call('http:other'))).resolves.toMatchObject({ status: 'rate_limited' });
    vi.advanceTimersByTime(60_001);
    await expect(tools.call(call('http:other'))).resolves.toMatchObject({ status: 'ok' });
  });
});
