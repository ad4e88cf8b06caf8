import { afterAll, expect, it, onTestFinished } from 'vitest';
import { node, workflow } from '../../packages/conformance/src/testkit/workflows.ts';
import { newDatabase, stopServers } from '../../packages/store-postgres/testing/postgres-server.ts';
import { startTestHost, type TestHost } from '../http/host.ts';
import { ask } from '../moving/kit.ts';

/** A host with runs in its database that a newer release has written to. */

afterAll(stopServers);

const WORKFLOWS = [
  workflow('gate', [node('gate', 'core.approvalGate', { title: 'Go on?' })]),
  workflow('waits', [node('wait', 'core.delay', { ms: 50 })]),
];

async function hostOn(url: string): Promise<TestHost> {
  const host = await startTestHost({ databaseUrl: url, builtinWorkflows: WORKFLOWS });
  onTestFinished(() => host.stop());
  return host;
}

/** As the commit of a host does that writes logs of this version. */
const raise = (url: string, version: number, runId: string) =>
  ask(url, 'UPDATE runs SET log_version = $1 WHERE run_id = $2', [version, runId]);

it('answers 503 for them with what to do, holds none of them, and goes on with them after its upgrade', async () => {
  const url = await newDatabase();
  const host = await hostOn(url);
  const started = async (workflowId: string): Promise<string> =>
    (await host.post('/v1/runs', { workflowId })).body.runId;
  const waiting: string = (await host.run('gate')).body.runId;
  const other: string = (await host.run('gate')).body.runId;
  await raise(url, 99, waiting);
  // The tree is no longer the one that the host has in memory.
  await ask(url, 'UPDATE runs SET places = places + 1 WHERE run_id = $1', [waiting]);

  const accept = { resumeValue: { action: 'accept' } };
  const refusals = [
    await host.post(`/v1/runs/${waiting}/interrupts/gate`, accept),
    await host.post(`/v1/runs/${waiting}/cancel`, {}),
    await host.post(`/v1/runs/${waiting}:fork`, { mode: 'branch', fromSeq: 1 }),
    await host.get(`/v1/runs/${waiting}/state`),
  ];
  for (const { status, headers, body } of refusals) {
    expect({ status, error: body.error }).toEqual({ status: 503, error: 'newer_host_needed' });
    expect(headers.get('retry-after')).toBe('1');
    expect(body.message).toContain('finish the upgrade');
  }
  expect((await host.get('/v1/host/held-runs')).body).toMatchObject({ total: 0 });
  expect((await host.get(`/v1/runs/${waiting}/events`)).status).toBe(200);
  expect(await ask(url, 'SELECT status FROM runs WHERE run_id = $1', [waiting])).toEqual([
    { status: 'waiting-approval' },
  ]);
  // Other runs go on.
  expect((await host.post(`/v1/runs/${other}/interrupts/gate`, accept)).status).toBe(200);
  const rung = await started('waits');
  await expect.poll(async () => (await host.get(`/v1/runs/${rung}`)).body.status).toBe('completed');

  await ask(url, 'UPDATE runs SET places = places - 1 WHERE run_id = $1', [waiting]);
  await raise(url, 1, waiting);
  expect((await host.post(`/v1/runs/${waiting}/interrupts/gate`, accept)).status).toBe(200);
  await expect.poll(async () => (await host.get(`/v1/runs/${waiting}`)).body.status).toBe('completed');
});
