import { afterAll, describe, expect, it } from 'vitest';
import { eventually } from '../eventually.ts';
import { ALL_SCOPES, startTestHost } from '../http/host.ts';
import { connect, ERAS, runIn } from './mcp-client.ts';

/** What a client hears beside its own requests, and how it goes on after its connection was cut. */

const OTHER = 'key-of-another-tenant';
const keys = [{ token: OTHER, tenant: 'other', scopes: ALL_SCOPES }];
const publish = ['quick', 'short-wait', 'later-2025', 'later-2026'];
const host = await startTestHost({ publish }, keys);
afterAll(() => host.stop());

describe.each(ERAS)('a client of %s', (era) => {
  it('is told when its tools have changed, and not when those of others have', async () => {
    let told = 0;
    let toldToOther = 0;
    const own = await connect(host.url, { era, onToolsChanged: () => (told += 1) });
    const other = await connect(host.url, { era, key: OTHER, onToolsChanged: () => (toldToOther += 1) });
    const register = async (id: string, key?: string) => {
      const workflow = { id, nodes: [{ id: 'only', typeId: 'core.noop' }], edges: [] };
      expect((await host.post('/v1/workflows', workflow, key === undefined ? {} : { key })).status).toBe(201);
    };
    await register(`later-${era}`, OTHER);
    await eventually(() => expect(toldToOther).toBe(1));
    await register(`unpublished-${era}`);
    await register(`later-${era}`);
    await eventually(() => expect(told).toBe(1));
    const names = (await own.client.listTools()).tools.map(({ name }) => name);
    expect(names).toContain(`later-${era}`);
    expect([told, toldToOther]).toEqual([1, 1]);
    await Promise.all([own.client.close(), other.client.close()]);
  });
});

/** Cuts the stream of a tool call after its first part. */
function cutting(beforeResuming: () => Promise<void>) {
  const resumed: string[] = [];
  const fetching: typeof fetch = async (input, init) => {
    const last = new Headers(init?.headers).get('last-event-id');
    if (last !== null) {
      await beforeResuming();
      resumed.push(last);
    }
    if (!String(init?.body).includes('tools/call')) return fetch(input, init);
    const cut = new AbortController();
    const signals = [cut.signal, ...(init?.signal ? [init.signal] : [])];
    const response = await fetch(input, { ...init, signal: AbortSignal.any(signals) });
    const reader = response.body?.getReader();
    const first = await reader?.read();
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(first?.value),
      pull(controller) {
        cut.abort();
        controller.error(new Error('the connection was cut'));
      },
    });
    return new Response(body, response);
  };
  return { fetching, resumed };
}

describe('a call of 2025 whose connection is cut', () => {
  const completed = async (): Promise<number> =>
    (await host.get('/v1/runs?workflowId=short-wait&status=completed')).body.runs.length;

  it('goes on, and the client resumes the stream and gets the result', async () => {
    const { fetching, resumed } = cutting(async () => undefined);
    const { client } = await connect(host.url, { fetch: fetching });
    const result = await client.callTool({ name: 'short-wait' });
    expect(runIn(result)).toMatchObject({ status: 'completed' });
    expect(resumed.length).toBeGreaterThan(0);
    await client.close();
  });

  it('has its result kept until the client comes back', async () => {
    const before = await completed();
    const { fetching, resumed } = cutting(() =>
      eventually(async () => expect(await completed()).toBe(before + 1)),
    );
    const { client } = await connect(host.url, { fetch: fetching });
    const result = await client.callTool({ name: 'short-wait' });
    expect(runIn(result)).toMatchObject({ status: 'completed' });
    expect(resumed).toHaveLength(1);
    await client.close();
  });

  it('cannot be resumed in another session', async () => {
    const { fetching, resumed } = cutting(async () => undefined);
    const { client } = await connect(host.url, { fetch: fetching });
    await client.callTool({ name: 'short-wait' });
    const stranger = await connect(host.url, { key: OTHER });
    const headers = {
      accept: 'text/event-stream',
      authorization: `Bearer ${OTHER}`,
      'mcp-session-id': stranger.transport.sessionId ?? '',
      'last-event-id': resumed[0] ?? '',
    };
    const answer = await fetch(`${host.url}/v1/mcp`, { headers });
    const text = await answer.text();
    expect(text).not.toContain('result');
    await Promise.all([client.close(), stranger.client.close()]);
  });
});
