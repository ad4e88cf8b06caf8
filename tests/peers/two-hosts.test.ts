import { newSigningKey, signingKey } from '@baton/engine';
import { childRunId, type JsonObject } from '@baton/protocol';
import { expect, it } from 'vitest';
import { verifies } from '../verifies.ts';
import {
  A,
  B,
  countOnB,
  eventsOf,
  introduce,
  KEY_OF_OTHERS,
  onB,
  remoteIdOf,
  transitionsOf,
  twoHosts,
} from './two-hosts.ts';

/** Work that goes from one real host to another. */

it('XHOST-16 XHOST-02 is handed to another host, and comes back with a signed result', async () => {
  const [a, b] = await twoHosts();
  const { body: run } = await a.run('hand-shout', { inputs: { topic: 'owls' } });
  expect(run).toMatchObject({ status: 'completed', variables: { report: 'Heard: owls' } });
  const child = await eventsOf(a, childRunId(run.runId, 1));
  const ended = child.find(({ payload }) => (payload as JsonObject).phase === 'child.completed');
  const { body: discovery } = await b.get('/.well-known/openwop');
  expect(ended?.payload).toMatchObject({
    causationHostId: discovery.multiAgent.executionModel.crossHostCausation.hostId,
  });
  const path = `/v1/runs/${(ended?.payload as JsonObject | undefined)?.childRunId}`;
  expect((await onB(b, 'GET', path)).body).toMatchObject({ status: 'completed', workflowId: 'shout' });
  expect((await b.get(path, { key: KEY_OF_OTHERS })).status).toBe(404);
  expect((await b.get(path)).status).toBe(404);
});

it('shows an auditor the way from the run on one host to its parent on the other', async () => {
  verifies('XHOST-10', 'XHOST-12', 'SCEN-09');
  const [a, b] = await twoHosts();
  const { body: run } = await a.run('hand-shout');
  const child = childRunId(run.runId, 1);
  const remoteId = await remoteIdOf(a, { runId: run.runId, child });
  expect((await onB(b, 'GET', `/v1/runs/${remoteId}/ancestry`)).body).toEqual({
    runId: remoteId,
    hostId: B,
    parent: {
      runId: child,
      hostId: A,
      cause: 'a2a-message',
      wellKnownUrl: `${a.url}/.well-known/openwop`,
    },
  });
  expect((await a.get(`/v1/runs/${child}/ancestry`)).body).toEqual({
    runId: child,
    hostId: A,
    parent: { runId: run.runId, hostId: A, cause: 'core.subWorkflow' },
  });
  const above = await a.get(`/v1/runs/${run.runId}/ancestry`);
  expect(above.body).toEqual({ runId: run.runId, hostId: A, parent: null });
});

it('XHOST-07 XHOST-08 SCEN-09 belongs to one trace, on both hosts', async () => {
  const [a, b] = await twoHosts();
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const traceparent = `00-${traceId}-b7ad6b7169203331-01`;
  const given = await a.post(
    '/v1/runs',
    { workflowId: 'hand-shout' },
    { headers: { traceparent, prefer: 'wait=20' } },
  );
  const own = await a.run('hand-shout');
  for (const { body: run } of [given, own]) {
    const remoteId = await remoteIdOf(a, { runId: run.runId, child: childRunId(run.runId, 1) });
    expect((await onB(b, 'GET', `/v1/runs/${remoteId}`)).body.traceId).toBe(run.traceId);
  }
  expect(given.body.traceId).toBe(traceId);
  expect(own.body.traceId).not.toBe(traceId);
});

it('merges a gated result after approval, and verifies it offline', async () => {
  const [a, b] = await twoHosts();
  const { body: waiting } = await a.run('gated-shout');
  expect(waiting.status).toBe('waiting-approval');
  await a.post(`/v1/runs/${waiting.runId}/interrupts/hand`, { resumeValue: { action: 'accept' } });
  const { body: run } = await a.get(`/v1/runs/${waiting.runId}`);
  expect(run).toMatchObject({ status: 'completed', variables: { report: 'Heard: owls' } });
  expect((await a.get(`/v1/runs/${waiting.runId}/attestations`)).body).toMatchObject({
    allMatch: true,
    attestations: [{ merged: true, remote: { hostId: B, signature: 'valid', matches: true } }],
  });
  // The peer was added again with another key. The log has not changed.
  const auditKey = signingKey(newSigningKey(), 'the test').pem;
  await introduce(a, b, { name: 'b', hostId: B, auditKey });
  const { body: later } = await a.get(`/v1/runs/${waiting.runId}/attestations`);
  expect(later.attestations[0].remote).toMatchObject({ hostId: B, signature: 'key-unknown' });
  expect(later.attestations[0].remote).not.toHaveProperty('matches');
  expect(later.allMatch).not.toBe(false);
});

it('fails with the run there, and with work that was not published', async () => {
  const [a, b] = await twoHosts();
  const broken = await a.run('hand-break');
  expect(broken.body).toMatchObject({ status: 'failed', error: { code: 'child_failed' } });
  const { body: secret } = await a.run('hand-secret');
  expect(secret).toMatchObject({ status: 'failed', error: { code: 'child_failed' } });
  const phases = (await transitionsOf(a, { runId: secret.runId, child: childRunId(secret.runId, 1) })).map(
    ({ phase, error }) => [phase, (error as JsonObject | undefined)?.code],
  );
  expect(phases).toEqual([
    ['dispatch.began', undefined],
    ['dispatch.failed', 'peer_rejected'],
  ]);
  expect(await countOnB(b)).toBe(1);
});
