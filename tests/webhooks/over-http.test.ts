import { createHmac } from 'node:crypto';
import { traceparentOfRun } from '@baton/protocol';
import { openSqliteStore } from '@baton/store-sqlite';
import { Webhook } from 'standardwebhooks';
import { afterAll, describe, expect, it } from 'vitest';
import { emptyFolder } from '../empty-folder.ts';
import { sharedHost, startTestHost, type TestHost } from '../http/host.ts';
import { bytesBelow, traces } from '../spellings.ts';
import { type Received, startReceiver } from './receiver.ts';

const GLOBEX = { key: 'globex-key-for-tests' };
const INITECH = { key: 'initech-key-for-tests' };
const UMBRELLA = { key: 'umbrella-key-for-tests' };
const MANAGER = { key: 'manager-key-for-tests' };
const SCOPES = ['webhooks:manage', 'runs:read', 'runs:create', 'secrets:write'];
const KEYS = [
  { token: GLOBEX.key, tenant: 'globex', scopes: SCOPES },
  { token: INITECH.key, tenant: 'initech', scopes: SCOPES },
  { token: UMBRELLA.key, tenant: 'umbrella', scopes: SCOPES },
  { token: MANAGER.key, tenant: 'default', scopes: ['webhooks:manage'] },
];
/** One host for all tests, with webhooks of their own. */
const at = await startTestHost({ webhookPrivate: true }, KEYS);
afterAll(() => at.stop());

const ENDS = { events: ['run.completed'] };

/** A webhook for a receiver of its own. */
async function hooked(at: TestHost, more = {}, sending = {}) {
  const receiver = await startReceiver();
  const { status, body } = await at.post('/v1/webhooks', { url: receiver.url, ...ENDS, ...more }, sending);
  expect(status).toBe(201);
  return { receiver, ...(body as { webhookId: string; secret: string; secretFingerprint: string }) };
}

const verified = (secret: string, { text, headers }: Received) =>
  new Webhook(secret).verify(text, headers as Record<string, string>);

/** The recipe of the protocol. */
function openwopVerified(secret: string, { text, headers }: Received): boolean {
  const digest = createHmac('sha256', secret)
    .update(`${headers['x-openwop-timestamp']}.${text}`)
    .digest('hex');
  return headers['x-openwop-signature'] === `sha256=${digest}`;
}

it('delivers signed events, which Standard Webhooks and the recipe of OpenWOP verify', async () => {
  const { receiver, webhookId, secret, secretFingerprint } = await hooked(at);
  const { body: run } = await at.run('quick');
  const [one] = (await receiver.count(1)) as [Received];
  expect(one.body).toMatchObject({
    type: 'run.completed',
    runId: run.runId,
    workspaceId: 'default',
    event: { type: 'run.completed', runId: run.runId, sequence: 3 },
  });
  expect(verified(secret, one)).toEqual(one.body);
  expect(openwopVerified(secret, one)).toBe(true);
  expect(openwopVerified(secret.replace(/./, 'x'), one)).toBe(false);
  expect(one.headers).toMatchObject({
    'x-openwop-webhook-id': webhookId,
    'x-openwop-event-type': 'run.completed',
    'x-openwop-signature-algorithm': 'v1',
    'content-type': 'application/json',
    traceparent: expect.stringMatching(new RegExp(`^00-${run.traceId}-[0-9a-f]{16}-01$`)),
  });
  expect(secret).toMatch(/^[0-9a-f]{64}$/);
  const shown = await at.get(`/v1/webhooks/${webhookId}`);
  expect(shown.body).toMatchObject({ state: 'active', secretFingerprint });
  expect(shown.text + (await at.get('/v1/webhooks')).text).not.toContain(secret);
  expect(traces(bytesBelow(at.folder), [secret])).toEqual([]);
});

it('stops when all keys of its creator are revoked, and goes on with another key or another owner', async () => {
  const dataFolder = emptyFolder();
  const own = { key: 'first-key' };
  const colleague = { key: 'key-of-a-colleague' };
  const keys = [
    { token: own.key, tenant: 'globex', scopes: SCOPES },
    { token: colleague.key, tenant: 'globex', scopes: SCOPES },
    { token: 'only-manages', tenant: 'globex', scopes: ['webhooks:manage'] },
  ];
  let at = await startTestHost({ webhookPrivate: true, dataFolder }, keys);
  const { receiver, webhookId } = await hooked(at, {}, own);
  /** Changes keys as the command line does, while no host runs. */
  const restarted = async (change: (store: ReturnType<typeof openSqliteStore>) => Promise<unknown>) => {
    await at.stop();
    const store = openSqliteStore(dataFolder);
    await change(store);
    await store.close();
    at = await startTestHost({ webhookPrivate: true, dataFolder });
  };
  const ended = async () => {
    const started = { headers: { prefer: 'wait=20' }, ...colleague };
    return (await at.post('/v1/runs', { workflowId: 'quick' }, started)).body.runId as string;
  };
  const shown = async () => (await at.get('/v1/webhooks', colleague)).body.webhooks[0];

  await restarted((store) => store.revokeKey(`key-${own.key}`, 1));
  const first = await ended();
  expect(await shown()).toMatchObject({ state: 'failed', createdBy: 'holder of first-key' });
  expect((await shown()).reason).toContain('has no valid key with the scope runs:read');
  await restarted((store) =>
    store.putKey({
      ...{ id: 'next', hash: '00', tenant: 'globex', principal: 'holder of first-key' },
      ...{ scopes: ['runs:read'], createdAt: 1 },
    }),
  );
  expect(await shown()).toMatchObject({ state: 'active' });
  const [one] = await receiver.count(1);
  expect(one?.body.runId).toBe(first);

  await restarted((store) => store.revokeKey('next', 1));
  const second = await ended();
  expect((await at.post(`/v1/webhooks/${webhookId}:resume`, {}, { key: 'only-manages' })).status).toBe(403);
  expect(await shown()).toMatchObject({ state: 'failed' });
  expect(receiver.received).toHaveLength(1);
  const resumed = await at.post(`/v1/webhooks/${webhookId}:resume`, {}, colleague);
  expect(resumed.body).toMatchObject({ state: 'active', createdBy: 'holder of key-of-a-colleague' });
  const [, two] = await receiver.count(2);
  expect(two?.body.runId).toBe(second);
  await at.stop();
});

it('stays with its creator when another principal resumes it', async () => {
  const { webhookId } = await hooked(at);
  await at.post(`/v1/webhooks/${webhookId}:pause`);
  const { body } = await at.post(`/v1/webhooks/${webhookId}:resume`, {}, MANAGER);
  expect(body).toMatchObject({ state: 'active', createdBy: 'operator' });
});

it('carries the trace of the run, which is that of its caller, and another one for a branch', async () => {
  const { receiver } = await hooked(at, { events: ['run.completed'], workflows: ['quick', 'gate'] });
  const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
  const headers = { traceparent: `00-${trace}-00f067aa0ba902b7-01`, prefer: 'wait=20' };
  const { body: given } = await at.post('/v1/runs', { workflowId: 'quick' }, { headers });
  const { body: own } = await at.run('quick');
  const { body: branch } = await at.post(`/v1/runs/${given.runId}:fork`, { fromSeq: 2, mode: 'branch' });
  await receiver.count(3);
  const traceOf = (runId: string) => {
    const sent = receiver.received.find(({ body }) => body.runId === runId);
    return String(sent?.headers.traceparent);
  };
  expect(traceOf(given.runId)).toBe(traceparentOfRun(given.runId, headers.traceparent));
  expect(traceOf(given.runId)).toContain(trace);
  expect(own.traceId).toMatch(/^[0-9a-f]{32}$/);
  expect(traceOf(own.runId)).toContain(own.traceId);
  expect(traceOf(branch.runId)).toBe(traceparentOfRun(branch.runId));
});

describe('a rotation', () => {
  it('leaves no gap: both keys verify until the overlap ends, and a rotation without one ends the earlier', async () => {
    const { receiver, webhookId, secret } = await hooked(at);
    const rotated = await at.post(`/v1/webhooks/${webhookId}:rotate`, {});
    const { secret: next, earlierKeysUntil } = rotated.body;
    expect(Date.parse(earlierKeysUntil)).toBeGreaterThan(Date.now() + 86_000_000);
    await at.run('quick');
    const [one] = (await receiver.count(1)) as [Received];
    expect(verified(secret, one)).toEqual(verified(next, one));
    // This header has room for one signature only.
    expect([openwopVerified(secret, one), openwopVerified(next, one)]).toEqual([true, false]);
    const { secret: last } = (await at.post(`/v1/webhooks/${webhookId}:rotate`, { overlapSeconds: 0 })).body;
    await at.run('quick');
    const [, two] = (await receiver.count(2)) as [Received, Received];
    expect(verified(last, two)).toEqual(two.body);
    expect(openwopVerified(last, two)).toBe(true);
    for (const earlier of [secret, next]) expect(() => verified(earlier, two)).toThrow(/signature/);
  });

  it('is refused when too many keys would sign at once', async () => {
    const { webhookId } = await hooked(at);
    const rotate = () => at.post(`/v1/webhooks/${webhookId}:rotate`, {});
    for (let times = 0; times < 3; times += 1) expect((await rotate()).status).toBe(200);
    expect(await rotate()).toMatchObject({ status: 409, body: { error: 'webhook_key_conflict' } });
  });

  it('of the key that encrypts secrets keeps the keys of webhooks, over a restart too', async () => {
    const dataFolder = emptyFolder();
    const first = await startTestHost({ webhookPrivate: true, dataFolder });
    const { receiver, secret } = await hooked(first);
    expect((await first.post('/v1/host/secrets:rotate', {})).body).toMatchObject({
      secrets: 1,
      unreadable: 0,
    });
    await first.stop();
    const second = await startTestHost({ webhookPrivate: true, dataFolder });
    await second.run('quick');
    const [one] = (await receiver.count(1)) as [Received];
    expect(verified(secret, one)).toEqual(one.body);
    await second.stop();
  });
});

describe('a tenant', () => {
  it('neither sees, changes nor is told by the webhooks of another', async () => {
    const { webhookId, receiver } = await hooked(at);
    const theirs = await hooked(at, {}, GLOBEX);
    expect((await at.get('/v1/webhooks', GLOBEX)).body.webhooks).toMatchObject([
      { webhookId: theirs.webhookId },
    ]);
    const calls: [string, string][] = [
      ['GET', ''],
      ['DELETE', ''],
      ['GET', '/deliveries'],
      ['GET', '/dead-letters'],
      ['POST', '/dead-letters:redeliver'],
      ...['pause', 'resume', 'rotate', 'ping'].map((verb): [string, string] => ['POST', `:${verb}`]),
    ];
    for (const [method, path] of calls) {
      const answer = await at.send(method, `/v1/webhooks/${webhookId}${path}`, undefined, GLOBEX);
      expect([path, answer.status, answer.body.error]).toEqual([path, 404, 'subscription_not_found']);
    }
    const foreign = await at.post('/v1/webhooks', { url: receiver.url, ...ENDS, tenantId: 'globex' });
    expect([foreign.status, foreign.body.error]).toEqual([403, 'forbidden']);
    expect((await at.send('DELETE', `/v1/webhooks/${webhookId}?tenantId=globex`)).status).toBe(403);
    await at.run('quick');
    await at.post('/v1/runs', { workflowId: 'quick' }, GLOBEX);
    await Promise.all([receiver.count(1), theirs.receiver.count(1)]);
    expect(
      [receiver.received, theirs.receiver.received].map((all) => all.map(({ body }) => body.workspaceId)),
    ).toEqual([['default'], ['globex']]);
  });

  it('has a bounded number of webhooks', async () => {
    const create = () => at.post('/v1/webhooks', { url: 'http://127.0.0.1:9/', ...ENDS }, INITECH);
    for (let number = 0; number < 32; number += 1) expect((await create()).status).toBe(201);
    expect(await create()).toMatchObject({ status: 409, body: { error: 'webhook_limit_reached' } });
    expect((await at.post('/v1/webhooks', { url: 'http://127.0.0.1:9/', ...ENDS })).status).toBe(201);
  });

  it('is told events without its secrets, and cannot put a secret into an address', async () => {
    const { receiver } = await hooked(at, { events: ['run.started'] }, UMBRELLA);
    const value = 'sk-canary-of-umbrella';
    await at.send('PUT', '/v1/secrets/openai', { value }, UMBRELLA);
    await at.post('/v1/runs', { workflowId: 'quick', inputs: { note: `with ${value}` } }, UMBRELLA);
    const [one] = (await receiver.count(1)) as [Received];
    expect(one.text).toContain('[REDACTED:openai]');
    expect(one.text).not.toContain(value);
    const refused = await at.post('/v1/webhooks', { url: `https://example.com/${value}`, ...ENDS }, UMBRELLA);
    expect(refused).toMatchObject({ status: 400, body: { error: 'validation_error' } });
  });
});

it('needs the scope to read runs, because events are what a reader may read', async () => {
  const refused = await at.post('/v1/webhooks', { url: 'http://127.0.0.1:9/', ...ENDS }, MANAGER);
  expect([refused.status, refused.body.details]).toEqual([403, { scope: 'runs:read' }]);
  expect((await at.get('/v1/webhooks', MANAGER)).status).toBe(200);
});

describe('an address', () => {
  /** `guarded-fetch.test.ts` has every form of an address that is refused. */
  const HOSTILE = [
    'http://example.com/',
    'ftp://example.com/',
    'https://2130706433/',
    'https://[::ffff:10.0.0.1]/',
    'https://localhost/',
    'https://user:password@93.184.216.34/',
  ];

  it.each(HOSTILE)('%s is rejected', async (url) => {
    const strict = await sharedHost();
    const { status, body } = await strict.post('/v1/webhooks', { url, ...ENDS });
    expect([status, body.error]).toEqual([400, 'webhook_url_rejected']);
  });

  it('of link-local machines is rejected even where private networks are allowed', async () => {
    const { body } = await at.post('/v1/webhooks', { url: 'http://169.254.169.254/', ...ENDS });
    expect(body.error).toBe('webhook_url_rejected');
  });

  it('that was stored while private networks were allowed is not called afterwards', async () => {
    const dataFolder = emptyFolder();
    const first = await startTestHost({ webhookPrivate: true, dataFolder });
    const { webhookId, receiver } = await hooked(first);
    await first.stop();
    const second = await startTestHost({ webhookPrivate: false, dataFolder });
    expect((await second.post(`/v1/webhooks/${webhookId}:ping`)).body).toMatchObject({
      delivered: false,
      error: expect.stringContaining('private network'),
    });
    expect(receiver.received).toEqual([]);
    await second.stop();
  });

  it('that redirects is not followed', async () => {
    const target = await startReceiver();
    const { webhookId, receiver } = await hooked(at);
    receiver.answer = { status: 307, headers: { location: target.url } };
    expect((await at.post(`/v1/webhooks/${webhookId}:ping`)).body).toMatchObject({ delivered: false });
    expect([receiver.received.length, target.received.length]).toEqual([1, 0]);
  });

  it.each([
    [{ url: 'not a url', ...ENDS }],
    [{ ...ENDS }],
    [{ url: 'https://example.com/', events: [] }],
    [{ url: 'https://example.com/', events: ['Run completed'] }],
  ])('or filter that is not valid is refused: %o', async (body) => {
    expect(await at.post('/v1/webhooks', body)).toMatchObject({
      status: 400,
      body: { error: 'validation_error' },
    });
  });
});

it('shows deliveries that wait, and ends them with the webhook', async () => {
  const { receiver, webhookId } = await hooked(at);
  receiver.answer = { status: 500 };
  const { body: run } = await at.run('quick');
  await receiver.count(1);
  const listed = async () => (await at.get(`/v1/webhooks/${webhookId}/deliveries`)).body.deliveries;
  while ((await listed())[0]?.failedTries !== 1) await new Promise((resolve) => setImmediate(resolve));
  expect(await listed()).toMatchObject([
    { runId: run.runId, sequence: 3, lastError: 'the receiver answered with status 500' },
  ]);
  expect((await at.get(`/v1/webhooks/${webhookId}/dead-letters`)).body).toEqual({ deadLetters: [] });
  expect((await at.post(`/v1/webhooks/${webhookId}/dead-letters:redeliver`, {})).body).toEqual({
    redelivered: 0,
  });
  expect((await at.post(`/v1/webhooks/${webhookId}:pause`)).body.state).toBe('paused');
  expect((await at.post(`/v1/webhooks/${webhookId}:resume`)).body.state).toBe('active');
  expect((await at.send('DELETE', `/v1/webhooks/${webhookId}`)).status).toBe(204);
  expect((await at.send('DELETE', `/v1/webhooks/${webhookId}`)).body.error).toBe('subscription_not_found');
});

it('advertises webhooks', async () => {
  const { body } = await at.get('/.well-known/openwop');
  expect(body.webhooks).toEqual({ supported: true, signatureAlgorithms: ['v1'] });
});
