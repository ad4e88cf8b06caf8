import { newSigningKey, type SigningKey, signingKey } from '@baton/engine';
import { CONTRACTS, type RouteContract } from '@baton/protocol';
import { storageAt } from '@baton/server/storage';
import { afterAll, describe, expect, it } from 'vitest';
import { peerToken } from '../../packages/server/src/peers/peer-token.ts';
import { ask, operationsOf } from './api-walk.ts';
import { startTestHost } from './host.ts';

/** What another host can do with this one, and what it cannot. */

const ACME = signingKey(newSigningKey(), 'the key of acme');
const OTHER = signingKey(newSigningKey(), 'the key of other');
const HOST_ID = 'host-under-test';

const tokenOf = (auditKey: SigningKey, hostId: string) =>
  peerToken({ auditKey, hostId }, HOST_ID, Date.now());
const acme = () => ({ key: tokenOf(ACME, 'host-acme') });

const scopes = ['runs:create', 'runs:read', 'host:operate'];
const host = await startTestHost({ hostId: HOST_ID, peerRateLimit: 0, publish: ['quick'] }, [
  { token: 'ana', tenant: 'peer-acme', scopes },
]);
afterAll(() => host.stop());
const store = await storageAt({ kind: 'sqlite', folder: host.folder }).openStore();
for (const [name, key] of [
  ['acme', ACME],
  ['other', OTHER],
] as const) {
  const peer = {
    name,
    url: `https://${name}.example`,
    tenant: `peer-${name}`,
    publishes: [],
    createdAt: 0,
  };
  await store.putPeer({ ...peer, kind: 'baton', hostId: `host-${name}`, auditKey: key.pem });
}
await store.close();
const message = {
  ...{ messageId: 'm-1', role: 'ROLE_USER', parts: [{ data: {} }] },
  metadata: { skillId: 'quick' },
};
const started = await host.post(
  '/v1/a2a',
  { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } },
  { ...acme(), headers: { 'a2a-version': '1.0' } },
);
const ownRun: string = started.body.result.task.id;
/** A run of somebody else in the tenant of the peer. */
const sharedRun: string = (await host.post('/v1/runs', { workflowId: 'quick' }, { key: 'ana' })).body.runId;
const foreignRun: string = (await host.run('quick')).body.runId;
/** A token that was sent once. */
const sent: string = acme().key;
await host.get(`/v1/runs/${ownRun}/ancestry`, { key: sent });

describe('a peer', () => {
  it('XHOST-09 XHOST-11 reads the ancestry of its own runs, and of no others', async () => {
    const own = await host.get(`/v1/runs/${ownRun}/ancestry`, acme());
    expect([own.status, own.body]).toEqual([200, { runId: ownRun, hostId: HOST_ID, parent: null }]);
    for (const runId of [foreignRun, sharedRun]) {
      expect((await host.get(`/v1/runs/${runId}/ancestry`, acme())).status).toBe(404);
    }
    expect((await host.get(`/v1/runs/${sharedRun}/ancestry`, { key: 'ana' })).status).toBe(200);
    const others = await host.get(`/v1/runs/${ownRun}/ancestry`, { key: tokenOf(OTHER, 'host-other') });
    expect(others.status).toBe(404);
  });

  it('may use only the routes that are open to peers', async () => {
    const open = new Set(
      Object.values(CONTRACTS as Readonly<Record<string, RouteContract>>)
        .filter(({ peers }) => peers === true)
        .map(({ method, path }) => `${method} ${path}`),
    );
    const operations = (await operationsOf(host)).filter(({ access }) => access !== 'public');
    expect(operations.length).toBeGreaterThan(30);
    const named = { runId: ownRun, workflowId: 'quick', path: 'a.txt' };
    for (const operation of operations) {
      const { status, body } = await ask(host, operation, named, acme());
      if (open.has(operation.name)) expect([operation.name, status]).not.toEqual([operation.name, 403]);
      else expect([operation.name, status, body.error]).toEqual([operation.name, 403, 'forbidden']);
    }
  });

  it.each<[string, () => string]>([
    ['sends a token twice', () => sent],
    ['uses the key of another peer', () => tokenOf(OTHER, 'host-acme')],
    ['is not known', () => tokenOf(ACME, 'host-unknown')],
    ['means another host', () => peerToken({ auditKey: ACME, hostId: 'host-acme' }, 'host-else', Date.now())],
  ])('is told nothing when it %s', async (_what, key) => {
    const { status, body } = await host.get(`/v1/runs/${ownRun}/ancestry`, { key: key() });
    expect([status, body]).toEqual([
      401,
      { error: 'unauthenticated', message: 'This API key or token is not known, or no longer valid.' },
    ]);
  });

  it('is refused at once when it was removed', async () => {
    const store = await storageAt({ kind: 'sqlite', folder: host.folder }).openStore();
    await store.removePeer('other');
    await store.close();
    const { status } = await host.get(`/v1/runs/${ownRun}/ancestry`, { key: tokenOf(OTHER, 'host-other') });
    expect(status).toBe(401);
  });
});

it('bounds the requests of each peer, also on loopback', async () => {
  const bounded = await startTestHost({ hostId: HOST_ID, peerRateLimit: 2 });
  const store = await storageAt({ kind: 'sqlite', folder: bounded.folder }).openStore();
  const peer = {
    name: 'acme',
    url: 'https://acme.example',
    tenant: 'peer-acme',
    publishes: [],
    createdAt: 0,
  };
  await store.putPeer({ ...peer, kind: 'baton', hostId: 'host-acme', auditKey: ACME.pem });
  await store.close();
  const statuses = await Promise.all(
    Array.from({ length: 12 }, async () => (await bounded.get('/v1/runs/x/ancestry', acme())).status),
  );
  expect(statuses).toContain(429);
  expect(statuses).toContain(404);
  const operators = await Promise.all(
    Array.from({ length: 12 }, async () => (await bounded.get('/v1/runs/x/ancestry')).status),
  );
  expect(new Set(operators)).toEqual(new Set([404]));
  await bounded.stop();
});

describe('the ancestry of a run', () => {
  it('XHOST-10 XHOST-12 names the run of this host that started it', async () => {
    const { body: run } = await host.run('parent');
    const { body: listed } = await host.get(`/v1/runs?parentRunId=${run.runId}`);
    const [child] = listed.runs;
    expect((await host.get(`/v1/runs/${child.runId}/ancestry`)).body).toEqual({
      runId: child.runId,
      hostId: HOST_ID,
      parent: { runId: run.runId, hostId: HOST_ID, cause: 'core.subWorkflow' },
    });
  });

  it('is not told of a run that is not there', async () => {
    expect((await host.get('/v1/runs/no-such-run/ancestry')).status).toBe(404);
  });
});
