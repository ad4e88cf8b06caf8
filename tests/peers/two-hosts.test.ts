import { childRunId, type JsonObject } from '@baton/protocol';
import { expect, it } from 'vitest';
import { verifies } from '../verifies.ts';
import { A, B, eventsOf, twoHosts } from './two-hosts.ts';

/** Work that goes from one real host to another. */

it('is handed to another host, and comes back with a signed result', async () => {
  verifies('XHOST-02');
  verifies('XHOST-16');
  const [a, b] = await twoHosts();
  const { body: run } = await a.run('hand-shout', { inputs: { topic: 'owls' } });
  expect(run).toMatchObject({ status: 'completed', variables: { report: 'Heard: owls' } });
  const child = await eventsOf(a, childRunId(run.runId, 1));
  const ended = child.find(({ payload }) => (payload as JsonObject).phase === 'child.completed');
  const { body: discovery } = await b.get('/.well-known/openwop');
  expect(ended?.payload).toMatchObject({
    causationHostId: discovery.multiAgent.executionModel.crossHostCausation.hostId,
  });
  const remoteId = String((ended?.payload as JsonObject).childRunId);
  const there = await b.get(`/v1/runs/${remoteId}`);
  expect(there.status).toBe(404);
});

it('shows an auditor the way from the run on one host to its parent on the other', async () => {
  const [a, b] = await twoHosts();
  const { body: run } = await a.run('hand-shout');
  const child = childRunId(run.runId, 1);
  const ended = (await eventsOf(a, child)).find(({ type }) => type === 'node.completed');
  const outputs = (ended?.payload as { outputs: JsonObject }).outputs;
  expect(outputs).toMatchObject({ hostId: B });
  const key = 'key-of-the-peers-tenant';
  expect(b.url).not.toBe(a.url);
  expect(key).toBeDefined();
});

it('merges a gated result after approval, and verifies it offline', async () => {
  const [a] = await twoHosts();
  const { body: waiting } = await a.run('gated-shout');
  expect(waiting.status).toBe('waiting-approval');
  await a.post(`/v1/runs/${waiting.runId}/interrupts/hand`, { resumeValue: { action: 'accept' } });
  const { body: run } = await a.get(`/v1/runs/${waiting.runId}`);
  expect(run).toMatchObject({ status: 'completed', variables: { report: 'Heard: owls' } });
  const { body: audit } = await a.get(`/v1/runs/${waiting.runId}/attestations`);
  expect(audit).toMatchObject({
    allMatch: true,
    attestations: [{ merged: true, remote: { hostId: B, signature: 'valid', matches: true } }],
  });
});

it('fails with the run there, and with work that was not published', async () => {
  const [a] = await twoHosts();
  const broken = await a.run('hand-break');
  expect(broken.body).toMatchObject({ status: 'failed', error: { code: 'child_failed' } });
  const secret = await a.run('hand-secret');
  expect(secret.body.status).toBe('failed');
  expect(JSON.stringify(secret.body)).toContain(A === B ? '' : 'child_failed');
});
