import { afterAll, describe, expect, it } from 'vitest';
import { ALL_SCOPES, startTestHost } from './host.ts';

const LIMIT = 200_000;
const keep = {
  id: 'keep',
  nodes: [{ id: 'n', typeId: 'core.noop' }],
  variables: [{ name: 'text', type: 'string' }],
};
const host = await startTestHost(
  {
    builtinWorkflows: [keep],
    maxTenantBytes: LIMIT,
    maxTreeRuns: 7,
    maxStateCharacters: 90_000,
    maxLogEvents: 70,
  },
  [
    { token: 'neighbour', tenant: 'other', scopes: ALL_SCOPES },
    { token: 'third', tenant: 'third', scopes: ALL_SCOPES },
  ],
);
afterAll(() => host.stop());

const start = (key?: string) =>
  host.post(
    '/v1/runs',
    { workflowId: 'keep', inputs: { text: 'x'.repeat(50_000) } },
    key === undefined ? {} : { key },
  );

describe('the limit on what a tenant stores', () => {
  it('refuses new work when it is reached, leaves others alone, and lets go when runs are erased', async () => {
    const runs: string[] = [];
    let answer = await start();
    for (; answer.status === 201 && runs.length < 20; answer = await start()) runs.push(answer.body.runId);
    expect(runs.length).toBeLessThan(20);
    expect(answer).toMatchObject({
      status: 507,
      body: { error: 'tenant_storage_full', details: { limitBytes: LIMIT } },
    });
    expect(answer.body.message).toMatch(/erase .* BATON_TENANT_STORAGE/);
    expect((await host.post('/v1/workflows', { ...keep, id: 'another' })).status).toBe(507);
    expect((await start('neighbour')).status).toBe(201);
    expect((await host.get(`/v1/runs/${runs[0]}`)).status).toBe(200);
    for (const runId of runs) {
      expect((await host.post(`/v1/runs/${runId}:erase`, { reason: 'make room' })).status).toBe(200);
    }
    expect((await start()).status).toBe(201);
  });

  it('is told in discovery with the other limits that an operator has set', async () => {
    expect((await host.get('/.well-known/openwop')).body.hostLimits).toMatchObject({
      maxTenantBytes: LIMIT,
      maxTreeRuns: 7,
      maxStateCharacters: 90_000,
      maxLogEvents: 70,
    });
  });

  it('is one of the limits that the engine keeps as they were set', async () => {
    const { body } = await host.post(
      '/v1/runs',
      { workflowId: 'keep', inputs: { text: 'x'.repeat(95_000) } },
      { key: 'third' },
    );
    const ended = await host.get(`/v1/runs/${body.runId}`, { key: 'third' });
    expect(ended.body).toMatchObject({ status: 'failed', error: { code: 'state_too_large' } });
  });
});
