import { describe, expect, it } from 'vitest';
import { builtInTools } from './built-in-tools.ts';
import { FetchRefusal } from './fetch-refusal.ts';
import type { Fetch } from './guarded-fetch.ts';

const answer =
  (body: string, contentType: string, status = 200): Fetch =>
  async () => {
    const response = new Response(body, { status, headers: { 'content-type': contentType } });
    Object.defineProperty(response, 'url', { value: 'https://example.com/end' });
    return response;
  };

function run(id: string, input: Record<string, string>, fetch: Fetch = answer('', 'text/plain')) {
  const tool = builtInTools(fetch, () => Date.UTC(2026, 10, 17, 12)).find(
    ({ descriptor }) => descriptor.id === id,
  );
  const { signal } = new AbortController();
  return tool!.run({ id, input, tenant: 'acme', principal: 'ada', key: 'k', signal });
}

it('are described for a model, and may all be repeated', () => {
  const tools = builtInTools(answer('', ''), Date.now).map(({ descriptor }) => descriptor);
  expect(tools.map(({ id, name, repeatable }) => [id, name, repeatable])).toEqual([
    ['baton:time', 'baton_time', 'yes'],
    ['baton:calculate', 'baton_calculate', 'yes'],
    ['baton:fetch', 'baton_fetch', 'yes'],
  ]);
  expect(tools[1]!.parameters).toMatchObject({
    type: 'object',
    required: ['expression'],
    additionalProperties: false,
  });
});

it('tell the time', async () => {
  await expect(run('baton:time', {})).resolves.toEqual({
    status: 'ok',
    output: { time: '2026-11-17T12:00:00.000Z' },
  });
});

it('calculate', async () => {
  await expect(run('baton:calculate', { expression: '6 * 7' })).resolves.toEqual({
    status: 'ok',
    output: { value: 42 },
  });
  await expect(run('baton:calculate', { expression: 'process.exit()' })).resolves.toMatchObject({
    status: 'error',
    error: {
      code: 'tool_failed',
      message: expect.stringMatching(/^The expression is wrong: "\." is not part/),
    },
  });
});

describe('fetch', () => {
  const url = 'https://example.com/';

  it.each(['text/html; charset=utf-8', 'application/json', 'application/ld+json', 'application/xhtml+xml'])(
    'a page of the type %s',
    async (contentType) => {
      await expect(run('baton:fetch', { url }, answer('Tides', contentType))).resolves.toEqual({
        status: 'ok',
        output: { url: 'https://example.com/end', status: 200, contentType, text: 'Tides' },
      });
    },
  );

  it('a page that is not there, with its status', async () => {
    await expect(run('baton:fetch', { url }, answer('None', 'text/plain', 404))).resolves.toMatchObject({
      output: { status: 404, text: 'None' },
    });
  });

  it.each(['image/png', 'application/octet-stream', 'application/jsonx-of-mine'.replace('jsonx', 'zip')])(
    'nothing of the type %s',
    async (contentType) => {
      await expect(run('baton:fetch', { url }, answer('x', contentType))).resolves.toMatchObject({
        error: { message: 'The address does not answer with text.' },
      });
    },
  );

  it.each([
    [new FetchRefusal('address', '10.0.0.1 is private'), 'The page was not fetched: 10.0.0.1 is private.'],
    [new DOMException('', 'TimeoutError'), 'The page was not fetched: the server did not answer in time.'],
    [
      new TypeError('fetch failed with a secret'),
      'The page was not fetched: the server could not be reached.',
    ],
  ])('and says why not', async (error, message) => {
    const fetch: Fetch = () => Promise.reject(error);
    await expect(run('baton:fetch', { url }, fetch)).resolves.toMatchObject({ error: { message } });
  });
});
