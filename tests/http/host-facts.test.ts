import { createHash } from 'node:crypto';
import { afterAll, expect, it } from 'vitest';
import { ALL_SCOPES, startTestHost } from './host.ts';

/** The facts about a host, and the numbers of runs. */
const host = await startTestHost({ retentionMs: 86_400_000, maxTenantBytes: 10_000_000 }, [
  { token: 'other-secret', tenant: 'other', scopes: ALL_SCOPES },
  { token: 'gone-secret', tenant: 'other', scopes: ['runs:read'], revoked: true },
  { token: 'blind-secret', tenant: 'default', scopes: ['runs:create'] },
]);
afterAll(() => host.stop());
for (const workflow of ['quick', 'quick', 'doomed', 'parent']) await host.run(workflow);

it('tells operators what the host stores, keeps and allows', async () => {
  const { status, body } = await host.get('/v1/host');
  expect(status).toBe(200);
  expect(body).toMatchObject({
    id: expect.any(String),
    version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    storage: { kind: 'sqlite', runs: 5 },
    retention: { runsMs: 86_400_000 },
    limits: { maxTenantBytes: 10_000_000 },
    keys: { count: 2 },
  });
  expect(body.storage.bytes).toBeGreaterThan(0);
  expect(body.storage.events).toBeGreaterThan(10);
  expect(Date.parse(body.startedAt)).toBeLessThanOrEqual(Date.now());
});

it('lists the keys of all tenants, and nothing of their secrets', async () => {
  const { status, body, text } = await host.get('/v1/host/keys');
  expect(status).toBe(200);
  expect(body.keys).toHaveLength(3);
  expect(body.keys.filter((key: { revokedAt?: string }) => key.revokedAt !== undefined)).toMatchObject([
    { tenant: 'other', scopes: ['runs:read'] },
  ]);
  expect(text).not.toContain('hash');
  expect(text).not.toContain(createHash('sha256').update('other-secret').digest('hex'));
});

it('tells of a host with a data folder that it is alone', async () => {
  const { status, body } = await host.get('/v1/hosts');
  expect(status).toBe(200);
  expect(body).toMatchObject({
    isShared: false,
    hosts: [{ isThis: true, isDraining: false, trees: 0, effects: 0, url: host.url }],
  });
});

it('counts the runs of the tenant by status', async () => {
  const { body } = await host.get('/v1/runs:stats');
  expect(body).toEqual({ total: 5, byStatus: { completed: 2, failed: 1, 'waiting-approval': 2 } });
  expect((await host.get('/v1/runs:stats', { key: 'other-secret' })).body).toEqual({
    total: 0,
    byStatus: {},
  });
  expect((await host.get('/v1/runs:stats', { key: 'blind-secret' })).status).toBe(403);
});
