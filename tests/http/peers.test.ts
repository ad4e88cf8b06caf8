import { join } from 'node:path';
import { newSigningKey, publicKey } from '@baton/engine';
import { storageAt } from '@baton/server/storage';
import { expect, it, onTestFinished } from 'vitest';
import { outputTo } from '../../packages/cli/src/output/output.ts';
import { addPeer } from '../../packages/cli/src/peers/add-peer.ts';
import { emptyFolder } from '../empty-folder.ts';
import { startTestHost } from './host.ts';

const KEY = publicKey(newSigningKey(), 'a key');

async function idOf(dataFolder: string, hostId?: string): Promise<string> {
  const host = await startTestHost({ dataFolder, hostId });
  const { body } = await host.get('/v1/peers');
  await host.stop();
  return body.hostId;
}

it('keeps the id of a host over restarts, and in a backup', async () => {
  const folder = emptyFolder();
  const data = join(folder, 'data');
  const made = await idOf(data);
  expect(made).toMatch(/^host-[0-9a-f]{16}$/);
  expect(await idOf(data)).toBe(made);
  await storageAt({ kind: 'sqlite', folder: data }).backup(join(folder, 'backup.db'));
  const restored = join(folder, 'restored');
  await storageAt({ kind: 'sqlite', folder: restored }).restore(join(folder, 'backup.db'));
  expect(await idOf(restored)).toBe(made);
});

it('has the id that the operator sets, for as long as it is set', async () => {
  const folder = emptyFolder();
  const made = await idOf(folder);
  expect(await idOf(folder, 'baton-eu-1')).toBe('baton-eu-1');
  expect(await idOf(folder)).toBe(made);
});

it('lists the peers that another process has added, without their secrets, to operators of the host', async () => {
  const token = 'key-of-a-tenant';
  const host = await startTestHost({}, [{ token, tenant: 'default', scopes: ['runs:read', 'audit:read'] }]);
  onTestFinished(() => host.stop());
  const store = await storageAt({ kind: 'sqlite', folder: host.folder }).openStore();
  const acme = { name: 'acme', url: 'https://acme.example', tenant: 'peer-acme', publishes: ['translate'] };
  await store.putPeer({ ...acme, kind: 'baton', hostId: 'host-acme', auditKey: KEY.pem, createdAt: 0 });
  await store.putPeer({ ...acme, name: 'agent', kind: 'a2a', secret: 'AGENT_KEY', createdAt: 1 });
  await store.close();
  const { body, text } = await host.get('/v1/peers');
  const shown = { ...acme, createdAt: '1970-01-01T00:00:00.000Z' };
  expect(body.peers).toEqual([
    {
      ...shown,
      kind: 'baton',
      hostId: 'host-acme',
      auditKey: { keyId: KEY.keyId, publicKey: KEY.pem },
      credentials: 'jwt',
    },
    { ...shown, name: 'agent', kind: 'a2a', credentials: 'secret', createdAt: '1970-01-01T00:00:00.001Z' },
  ]);
  expect(text).not.toContain('AGENT_KEY');
  expect((await host.get('/v1/peers', { key: token })).status).toBe(403);
});

it('can be added as a peer by what it says of itself', async () => {
  const host = await startTestHost();
  onTestFinished(() => host.stop());
  const location = { kind: 'sqlite', folder: emptyFolder() } as const;
  const silent = outputTo('lines', false, { print: () => undefined, note: () => undefined });
  await addPeer({ location, hostId: undefined }, 'acme', { url: host.url }, silent);
  const reads = await storageAt(location).openReads();
  const peer = await reads.peer('acme');
  await reads.close();
  const { hostId } = (await host.get('/v1/peers')).body;
  const { publicKey: auditKey } = (await host.get('/v1/audit/key')).body;
  expect(peer).toMatchObject({ url: host.url, hostId, auditKey });
});
