import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { ALL_SCOPES, startTestHost, type TestHost } from '../http/host.ts';
import { type ConnectedClient, connect, dataIn, ERAS } from './mcp-client.ts';

/** Runs and questions outlive the host that began them; sessions do not. */

const OTHER = 'key-of-another-tenant';
let host: TestHost;

const folder: string = mkdtempSync(join(tmpdir(), 'baton-mcp-'));
const keys = [{ token: OTHER, tenant: 'other', scopes: ALL_SCOPES }];
host = await startTestHost({ dataFolder: folder, publish: ['slow', 'gate', 'question'] }, keys);
afterAll(async () => {
  await host.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function restart(): Promise<void> {
  await host.stop();
  host = await startTestHost({ dataFolder: folder, publish: ['slow', 'gate', 'question'] });
}

/** The first result of a call that asks back, in the version of 2026. */
async function asked({ client }: ConnectedClient, name: string): Promise<string> {
  const result = await client.callTool({ name }, { allowInputRequired: true });
  expect(result).toMatchObject({ resultType: 'input_required' });
  return (result as unknown as { requestState: string }).requestState;
}

function answer({ client }: ConnectedClient, name: string, requestState: string, content: object) {
  const inputResponses = { question: { action: 'accept', content } };
  return client.callTool({ name, inputResponses, requestState } as never);
}

it.each(ERAS)('a run goes on when the host stops during a call of %s', async (era) => {
  const { client } = await connect(host.url, { era });
  const called = client.callTool({ name: 'slow' }).catch((error: unknown) => error);
  let runId = '';
  while (runId === '') {
    const { body } = await host.get('/v1/runs?workflowId=slow&status=running');
    runId = body.runs[0]?.runId ?? '';
  }
  await restart();
  if (era === '2026') {
    const result = (await called) as object;
    expect(dataIn(result)).toMatchObject({ error: { code: 'shutting_down' }, runId });
  }
  await client.close();
  const next = await connect(host.url, { era });
  const found = dataIn(await next.client.callTool({ name: 'baton_get', arguments: { runId } }));
  expect(found).toMatchObject({ runId, status: 'running' });
  await next.client.callTool({ name: 'baton_cancel', arguments: { runId } });
  await next.client.close();
});

it('a question of 2026 is answered after a restart, once', async () => {
  const before = await connect(host.url, { era: '2026', hasForms: true });
  const state = await asked(before, 'question');
  await before.client.close();
  await restart();
  const after = await connect(host.url, { era: '2026', hasForms: true });
  const first = await answer(after, 'question', state, { q1: 'blue' });
  expect(first._meta?.['dev.baton/run']).toMatchObject({ status: 'completed' });
  expect((await answer(after, 'question', state, { q1: 'red' }))._meta).toEqual(first._meta);
  await after.client.close();
});

it('a state that was changed, or belongs to another tool or tenant, is refused', async () => {
  const caller = await connect(host.url, { era: '2026', hasForms: true });
  const state = await asked(caller, 'gate');
  const content = { action: 'accept' };
  await expect(answer(caller, 'gate', `${state}x`, content)).rejects.toThrow(/requestState/);
  const another = await answer(caller, 'question', state, content);
  expect(dataIn(another).error.message).toContain('another tool');
  const other = await connect(host.url, { era: '2026', key: OTHER, hasForms: true });
  await expect(answer(other, 'gate', state, content)).rejects.toThrow(/requestState/);
  // The state is no link: only its caller can use it.
  expect((await host.get(`/v1/interrupts/${state}`, { key: null })).status).toBe(404);
  const done = await answer(caller, 'gate', state, content);
  expect(done._meta?.['dev.baton/run']).toMatchObject({ status: 'completed' });
  await Promise.all([caller.client.close(), other.client.close()]);
});

it('a session of 2025 ends with the host', async () => {
  const { client, transport } = await connect(host.url);
  const headers = {
    'mcp-session-id': transport.sessionId ?? '',
    accept: 'application/json, text/event-stream',
  };
  await restart();
  const { status } = await host.post('/v1/mcp', { jsonrpc: '2.0', id: 9, method: 'tools/list' }, { headers });
  expect(status).toBe(404);
  await client.close();
});
