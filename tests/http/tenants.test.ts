import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifies } from '../verifies.ts';
import { ALL_SCOPES, sharedHost, type TestHost } from './host.ts';

const OTHER = { key: 'other-tenant' };
let host: TestHost;
let runId: string;

beforeAll(async () => {
  host = await sharedHost({}, [{ token: OTHER.key, tenant: 'other', scopes: ALL_SCOPES }]);
  runId = (await host.run('gate')).body.runId;
});
afterAll(() => host.stop());

describe("another tenant's run", () => {
  const READS = ['', '/events', '/events/poll', '/artifacts/gate:1'];
  const WRITES = [
    ['/cancel', {}],
    [':pause', {}],
    [':resume', {}],
    ['/interrupts/gate', { resumeValue: { action: 'accept' } }],
    ['/approvals/gate', { action: 'accept' }],
  ] as const;

  it.each(READS)('cannot be read: /v1/runs/{id}%s', async (path) => {
    const answer = await host.get(`/v1/runs/${runId}${path}`, OTHER);
    expect(answer.status).toBe(404);
    expect(answer.headers.get('www-authenticate')).toBeNull();
  });

  it.each(WRITES)('cannot be changed: POST /v1/runs/{id}%s', async (path, body) => {
    const answer = await host.post(`/v1/runs/${runId}${path}`, body, OTHER);
    expect(answer.status).toBe(404);
    expect((await host.get(`/v1/runs/${runId}`)).body.status).toBe('waiting-approval');
  });

  it('is unknown to a bulk cancel', async () => {
    const answer = await host.post('/v1/runs:bulk-cancel', { runIds: [runId] }, OTHER);
    expect(answer.body.results).toMatchObject([{ runId, ok: false, error: { code: 'not_found' } }]);
  });

  it('is on no list', async () => {
    expect((await host.get('/v1/runs', OTHER)).body.runs).toEqual([]);
    expect((await host.get('/v1/interrupts', OTHER)).body.interrupts).toEqual([]);
    expect((await host.get('/v1/interrupts')).body.interrupts).toHaveLength(1);
  });
});

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

it("keeps a tenant's workflows to itself", async () => {
  const definition = { id: 'private', nodes: [{ id: 'n', typeId: 'core.noop' }] };
  expect((await host.post('/v1/workflows', definition, OTHER)).status).toBe(201);
  expect((await host.get('/v1/workflows/private', OTHER)).status).toBe(200);
  expect((await host.get('/v1/workflows/private')).status).toBe(404);
  expect((await host.post('/v1/runs', { workflowId: 'private' })).status).toBe(404);
  expect((await host.post('/v1/runs', { workflowId: 'private' }, OTHER)).status).toBe(201);
});

it('keeps idempotency keys of tenants apart', async () => {
  const headers = { 'idempotency-key': 'the-same' };
  const mine = await host.post('/v1/runs', { workflowId: 'quick' }, { headers });
  const theirs = await host.post('/v1/runs', { workflowId: 'quick' }, { ...OTHER, headers });
  expect(theirs.status).toBe(201);
  expect(theirs.body.runId).not.toBe(mine.body.runId);
});
