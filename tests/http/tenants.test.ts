import { afterAll, expect, it } from 'vitest';
import { verifies } from '../verifies.ts';
import { ALL_SCOPES, sharedHost } from './host.ts';

const OTHER = { key: 'other-tenant' };

const host = await sharedHost({}, [{ token: OTHER.key, tenant: 'other', scopes: ALL_SCOPES }]);
afterAll(() => host.stop());

it('has children that belong to the same tenant, and nobody else can reach them', async () => {
  verifies('SCOPE-04', 'FAIL-11');
  const run = await host.run('parent');
  const [child] = run.body.childRuns;
  expect((await host.get(`/v1/runs/${child.runId}`)).body.owner).toEqual(run.body.owner);
  expect((await host.get(`/v1/runs/${child.runId}`, OTHER)).status).toBe(404);
  const answer = { resumeValue: { action: 'accept' } };
  expect((await host.post(`/v1/runs/${child.runId}/interrupts/gate`, answer, OTHER)).status).toBe(404);
  expect((await host.post(`/v1/runs/${run.body.runId}/cancel`)).status).toBeLessThan(300);
});

it('refuses to start a run for another tenant', async () => {
  const answer = await host.post('/v1/runs', { workflowId: 'quick', tenantId: host.tenantOf('other') });
  expect(answer.status).toBe(403);
  expect(
    (await host.post('/v1/runs', { workflowId: 'quick', tenantId: host.tenantOf('default') })).status,
  ).toBe(201);
});

it('keeps idempotency keys of tenants apart', async () => {
  const headers = { 'idempotency-key': 'the-same' };
  const mine = await host.post('/v1/runs', { workflowId: 'quick' }, { headers });
  const theirs = await host.post('/v1/runs', { workflowId: 'quick' }, { ...OTHER, headers });
  expect(theirs.status).toBe(201);
  expect(theirs.body.runId).not.toBe(mine.body.runId);
});
