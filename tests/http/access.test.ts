import { afterAll, describe, expect, it } from 'vitest';
import { ALL_SCOPES, sharedHost } from './host.ts';

const without = ALL_SCOPES.map((scope) => ({
  token: `all-but-${scope}`,
  tenant: 'default',
  scopes: ALL_SCOPES.filter((other) => other !== scope),
}));
const host = await sharedHost({}, [
  ...without,
  { token: 'revoked', tenant: 'default', scopes: ALL_SCOPES, revoked: true },
  { token: 'made-up-scope', tenant: 'default', scopes: ['everything'] },
]);
afterAll(() => host.stop());

describe('a request without a valid key', () => {
  it('learns nothing from an address that leads nowhere', async () => {
    expect((await host.get('/v1/no-such-thing', { key: null })).status).toBe(401);
    expect((await host.send('DELETE', '/v1/runs/x', undefined, { key: null })).status).toBe(401);
    expect((await host.get('/v1/no-such-thing')).status).toBe(404);
  });

  it('is turned away before its body is looked at', async () => {
    expect((await host.post('/v1/runs', undefined, { key: null, raw: '{not json' })).status).toBe(401);
  });

  it.each(['Basic b3BlcmF0b3I6a2V5', 'Bearer', 'Bearer a b', 'operator-key-for-tests'])(
    'is turned away with the header "%s"',
    async (authorization) => {
      expect((await host.get('/v1/runs', { key: null, headers: { authorization } })).status).toBe(401);
    },
  );
});

describe('a key without the scope', () => {
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
