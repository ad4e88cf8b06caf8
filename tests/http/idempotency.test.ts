import { afterAll, describe, expect, it } from 'vitest';
import { emptyFolder } from '../empty-folder.ts';
import { ALL_SCOPES, type Answer, sharedHost, startTestHost } from './host.ts';

const host = await sharedHost({}, [
  { token: 'key-of-ana', tenant: 'default', scopes: ALL_SCOPES },
  { token: 'key-of-bo', tenant: 'default', scopes: ALL_SCOPES },
]);
afterAll(() => host.stop());

const noop = { id: 'n', typeId: 'core.noop' };
const accept = { resumeValue: { action: 'accept' } };
const withKey = (key: string) => ({ headers: { 'idempotency-key': key } });
const replayed = (answer: Answer) => answer.headers.get('openwop-idempotent-replay');

describe('the same key with the same request', () => {
  it('starts one run, however often it is sent', async () => {
    const send = () =>
      host.post('/v1/runs', { workflowId: 'quick', inputs: { a: 1, b: 2 } }, withKey('once'));
    const first = await send();
    expect(replayed(first)).toBeNull();
    for (let i = 0; i < 3; i += 1) {
      const again = await send();
      expect(again).toMatchObject({ status: 201, body: { runId: first.body.runId } });
      expect(again.headers.get('location')).toBe(first.headers.get('location'));
      expect(replayed(again)).toBe('true');
    }
  });

  it('does not mind the order of the fields', async () => {
    const first = await host.post(
      '/v1/runs',
      { workflowId: 'quick', inputs: { a: 1, b: 2 } },
      withKey('order'),
    );
    const again = await host.post(
      '/v1/runs',
      { inputs: { b: 2, a: 1 }, workflowId: 'quick' },
      withKey('order'),
    );
    expect(again.body.runId).toBe(first.body.runId);
  });

  it('starts one run when many arrive together', async () => {
    const send = () => host.post('/v1/runs', { workflowId: 'quick' }, withKey('together'));
    const answers = await Promise.all(Array.from({ length: 10 }, send));
    const started = answers.filter((answer) => answer.status === 201);
    expect(started.length).toBeGreaterThan(0);
    expect(new Set(started.map((answer) => answer.body.runId)).size).toBe(1);
    for (const answer of answers.filter((other) => other.status !== 201)) {
      expect(answer).toMatchObject({ status: 409, body: { error: 'idempotency_in_flight' } });
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    }
  });

  it.each<[string, string, number, (runId: string) => string, object]>([
    ['a pause', 'slow', 202, (runId) => `/v1/runs/${runId}:pause`, { drainPolicy: 'immediate' }],
    ['a registration', 'quick', 201, () => '/v1/workflows', { id: 'once', nodes: [noop] }],
    ['an interrupt', 'gate', 200, (runId) => `/v1/runs/${runId}/interrupts/gate`, accept],
  ])('repeats the answer to %s', async (what, workflowId, status, path, body) => {
    const { runId } = (await host.post('/v1/runs', { workflowId }, { headers: { prefer: 'wait=2' } })).body;
    const key = withKey(what.replace(' ', '-'));
    const [first, again] = [await host.post(path(runId), body, key), await host.post(path(runId), body, key)];
    expect([first.status, again.status]).toEqual([status, status]);
    expect([replayed(first), replayed(again)]).toEqual([null, 'true']);
  });

  it('repeats a bulk cancel', async () => {
    const { body } = await host.post('/v1/runs', { workflowId: 'slow' });
    const cancel = (runIds: readonly string[]) =>
      host.post('/v1/runs:bulk-cancel', { runIds }, withKey('bulk'));
    expect(replayed(await cancel([body.runId]))).toBeNull();
    const again = await cancel([body.runId]);
    expect(replayed(again)).toBe('true');
    expect(again.body.results).toMatchObject([{ runId: body.runId, ok: true }]);
    expect((await cancel([body.runId, 'another'])).status).toBe(409);
  });
});

describe('the same key with another request', () => {
  it.each([
    ['another body', '/v1/runs', { workflowId: 'gate' }],
    ['another address', '/v1/workflows', { id: 'w', nodes: [noop] }],
  ])('is refused: %s', async (what, path, body) => {
    await host.post('/v1/runs', { workflowId: 'quick' }, withKey(`mismatch ${what}`.replaceAll(' ', '-')));
    const answer = await host.post(path, body, withKey(`mismatch ${what}`.replaceAll(' ', '-')));
    expect(answer).toMatchObject({ status: 409, body: { error: 'idempotency_key_mismatch' } });
    expect(answer.body.runId).toBeUndefined();
  });
});

describe('the same key of another principal', () => {
  const as = (key: string, name: string) => ({ key, ...withKey(name) });

  it.each([
    ['with the same request', { workflowId: 'quick' }],
    ['with another request', { workflowId: 'three-steps' }],
  ])('is another request: %s', async (what, body) => {
    const name = what.replaceAll(' ', '-');
    const first = await host.post('/v1/runs', { workflowId: 'quick' }, as('key-of-ana', name));
    const other = await host.post('/v1/runs', body, as('key-of-bo', name));
    expect([first.status, other.status]).toEqual([201, 201]);
    expect(replayed(other)).toBeNull();
    expect(other.body.runId).not.toBe(first.body.runId);
    const again = await host.post('/v1/runs', { workflowId: 'quick' }, as('key-of-ana', name));
    expect(again.body.runId).toBe(first.body.runId);
  });

  it('is another request where it arrives in the same round', async () => {
    const holders = ['key-of-ana', 'key-of-bo', 'key-of-ana', 'key-of-bo'];
    const answers = await Promise.all(
      holders.map((key) => host.post('/v1/runs', { workflowId: 'quick' }, as(key, 'at-once'))),
    );
    const [ana, bo] = answers.map((answer) => answer.body.runId);
    expect(answers.map((answer) => answer.body.runId)).toEqual([ana, bo, ana, bo]);
    expect(ana).not.toBe(bo);
  });

  it('is another request where each answers with a link of its own', async () => {
    const links: string[] = [];
    for (let run = 0; run < 2; run += 1) {
      const { body } = await host.run('gate');
      const { interrupts } = (await host.get('/v1/interrupts?limit=200')).body;
      links.push(interrupts.find((one: { runId: string }) => one.runId === body.runId).callbackUrl);
    }
    for (const link of [...links, ...links]) {
      const sending = { key: null, ...withKey('by-link') };
      expect((await host.post(link, accept, sending)).status).toBe(200);
    }
  });
});

it('survives a restart', async () => {
  const dataFolder = emptyFolder();
  const send = async () => {
    const running = await startTestHost({ dataFolder });
    const answer = await running.post('/v1/runs', { workflowId: 'quick' }, withKey('restart'));
    await running.stop();
    return answer;
  };
  const first = await send();
  const again = await send();
  expect(again.body.runId).toBe(first.body.runId);
  expect(replayed(again)).toBe('true');
});
