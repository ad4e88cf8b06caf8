import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALL_SCOPES, sharedHost, type TestHost } from './host.ts';

/** Every route that wants a key, with the scope it wants. */
type Guarded = [method: string, path: string, scope: string, body: unknown];
const GUARDED: Guarded[] = [
  ['GET', '/v1/workflows', 'manifest:read', undefined],
  ['GET', '/v1/workflows/quick', 'manifest:read', undefined],
  ['POST', '/v1/workflows', 'workflows:write', { id: 'w', nodes: [{ id: 'n', typeId: 'core.noop' }] }],
  ['POST', '/v1/runs', 'runs:create', { workflowId: 'quick' }],
  ['GET', '/v1/runs', 'runs:read', undefined],
  ['GET', '/v1/runs/x', 'runs:read', undefined],
  ['GET', '/v1/runs/x/events', 'runs:read', undefined],
  ['GET', '/v1/runs/x/events/poll', 'runs:read', undefined],
  ['GET', '/v1/interrupts', 'runs:read', undefined],
  ['POST', '/v1/runs/x/cancel', 'runs:cancel', undefined],
  ['POST', '/v1/runs/x:pause', 'runs:cancel', undefined],
  ['POST', '/v1/runs/x:resume', 'runs:cancel', undefined],
  ['POST', '/v1/runs:bulk-cancel', 'runs:cancel', { runIds: ['x'] }],
  ['POST', '/v1/runs/x/interrupts/n', 'approvals:respond', { resumeValue: {} }],
  ['POST', '/v1/runs/x/approvals/n', 'approvals:respond', { action: 'accept' }],
  ['GET', '/v1/runs/x/artifacts/y', 'artifacts:read', undefined],
];

const PUBLIC = ['/.well-known/openwop', '/v1/openapi.json', '/healthz', '/readyz', '/metrics'];

let host: TestHost;

beforeAll(async () => {
  const without = ALL_SCOPES.map((scope) => ({
    token: `all-but-${scope}`,
    tenant: 'default',
    scopes: ALL_SCOPES.filter((other) => other !== scope),
  }));
  host = await sharedHost({}, [
    ...without,
    { token: 'revoked', tenant: 'default', scopes: ALL_SCOPES, revoked: true },
    { token: 'made-up-scope', tenant: 'default', scopes: ['everything'] },
  ]);
});
afterAll(() => host.stop());

describe('a request without a valid key', () => {
  it.each(GUARDED)('is turned away: %s %s', async (method, path, _scope, body) => {
    for (const key of [null, 'no-such-key', 'revoked']) {
      const answer = await host.send(method, path, body, { key });
      expect(answer.status).toBe(401);
      expect(answer.body.error).toBe('unauthenticated');
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    }
  });

  it('learns nothing from an address that leads nowhere', async () => {
    expect((await host.get('/v1/no-such-thing', { key: null })).status).toBe(401);
    expect((await host.send('DELETE', '/v1/runs/x', undefined, { key: null })).status).toBe(401);
    expect((await host.get('/v1/no-such-thing')).status).toBe(404);
  });

  it('is turned away before its body is looked at', async () => {
    const answer = await host.post('/v1/runs', undefined, { key: null, raw: '{not json' });
    expect(answer.status).toBe(401);
  });

  it.each(['Basic b3BlcmF0b3I6a2V5', 'Bearer', 'Bearer a b', 'operator-key-for-tests'])(
    'is turned away with the header "%s"',
    async (authorization) => {
      const answer = await host.get('/v1/runs', { key: null, headers: { authorization } });
      expect(answer.status).toBe(401);
    },
  );

  it.each(PUBLIC)('may read %s', async (path) => {
    expect((await host.get(path, { key: null })).status).toBe(200);
  });
});

describe('a key without the scope', () => {
  it.each(GUARDED)('is refused: %s %s', async (method, path, scope, body) => {
    const answer = await host.send(method, path, body, { key: `all-but-${scope}` });
    expect(answer.status).toBe(403);
    expect(answer.body).toMatchObject({ error: 'forbidden', details: { scope } });
  });

  it.each(GUARDED)('is not refused for another reason: %s %s', async (method, path, scope, body) => {
    const other = ALL_SCOPES.find((candidate) => candidate !== scope);
    const answer = await host.send(method, path, body, { key: `all-but-${other}` });
    expect([401, 403, 500]).not.toContain(answer.status);
  });

  it('gains nothing from a scope that does not exist', async () => {
    expect((await host.get('/v1/runs', { key: 'made-up-scope' })).status).toBe(403);
  });
});

describe('a run', () => {
  const outcome = async (key?: string) => {
    const sending = { headers: { prefer: 'wait=20' }, ...(key !== undefined && { key }) };
    return (await host.post('/v1/runs', { workflowId: 'needs-artifacts' }, sending)).body;
  };

  it('may do what the key that started it may do, and no more', async () => {
    expect(await outcome()).toMatchObject({ status: 'completed' });
    expect(await outcome('all-but-artifacts:read')).toMatchObject({
      status: 'failed',
      error: { code: 'forbidden' },
    });
  });

  it('tells in its log what was allowed and what was not', async () => {
    const { runId } = await outcome('all-but-artifacts:read');
    const { events } = (await host.get(`/v1/runs/${runId}/events`)).body;
    expect(events[0].payload.scopes).not.toContain('artifacts:read');
    const decided = events.find(({ type }: { type: string }) => type === 'authorization.decided');
    expect(decided.payload).toMatchObject({
      principal: 'holder of all-but-artifacts:read',
      action: 'artifacts:read',
      resource: 'node:read',
      allowed: false,
    });
  });
});
