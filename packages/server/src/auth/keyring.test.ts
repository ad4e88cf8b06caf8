import { createHash } from 'node:crypto';
import { type ApiKey, changeListeners } from '@baton/engine/ports';
import { SCOPES } from '@baton/protocol';
import { expect, it } from 'vitest';
import type { PeerCallers } from '../peers/peer-callers.ts';
import { createKeyring } from './keyring.ts';

const digest = (token: string) => createHash('sha256').update(token).digest('hex');
const key: ApiKey = {
  id: 'k1',
  hash: digest('token'),
  tenant: 'acme',
  principal: 'ana',
  scopes: ['runs:read', 'made:up'],
  createdAt: 0,
};

const NO_PEERS: PeerCallers = {
  byToken: async () => undefined,
  byKey: async () => undefined,
  byCertificate: async () => undefined,
};

/** A keyring over these reads. The feed is for tests that change keys. */
function keyringOver(
  keyByHash: (hash: string) => Promise<ApiKey | undefined>,
  {
    operatorKey = 'x',
    now = () => 0,
    peers = NO_PEERS,
  }: { operatorKey?: string; now?: () => number; peers?: PeerCallers } = {},
) {
  const feed = changeListeners();
  return {
    ...createKeyring({ reads: { keyByHash, key: async () => undefined }, peers, feed, operatorKey, now }),
    feed,
  };
}

it('knows the operator by the configured key', async () => {
  const keyring = keyringOver(async () => undefined, { operatorKey: 'secret' });
  expect(await keyring.identify('secret')).toMatchObject({ tenant: 'default', scopes: new Set(SCOPES) });
  expect(await keyring.identify('Secret')).toBeUndefined();
});

it('knows others by the digest, and only the scopes that exist', async () => {
  const keyring = keyringOver(async (hash) => (hash === key.hash ? key : undefined));
  expect(await keyring.identify('token')).toEqual({
    keyId: 'k1',
    tenant: 'acme',
    principal: 'ana',
    scopes: new Set(['runs:read']),
  });
  expect(await keyring.identify(key.hash)).toBeUndefined();
});

it('notices within a second that another process revoked a key', async () => {
  let time = 0;
  let stored = key;
  const keyring = keyringOver(async () => stored, { now: () => time });
  expect(await keyring.identify('token')).toBeDefined();
  stored = { ...key, revokedAt: 1 };
  time = 999;
  expect(keyring.recognise('token')).toBeDefined();
  time = 1000;
  expect(keyring.recognise('token')).toBeUndefined();
  expect(await keyring.identify('token')).toBeUndefined();
});

it.each([
  ['a key has changed', { kind: 'key', id: 'k1' }],
  ['a peer has changed', { kind: 'peer', name: 'acme' }],
  ['changes may have been missed', { kind: 'missed' }],
] as const)('recognises no key after the feed has told that %s', async (_what, change) => {
  const { feed, ...keyring } = keyringOver(async () => key);
  await keyring.identify('token');
  feed.tell({ kind: 'log', runId: 'k1' });
  expect(keyring.recognise('token')).toBeDefined();
  feed.tell(change);
  expect(keyring.recognise('token')).toBeUndefined();
});

it('knows a peer by its token, which is asked about each time it is sent', async () => {
  const acme = { keyId: 'peer:acme', tenant: 'peer-acme', principal: 'peer:acme', scopes: new Set<never>() };
  let asked = 0;
  const byToken = async (token: string) => {
    asked += 1;
    return token === 'signed' && asked === 1 ? acme : undefined;
  };
  const keyring = keyringOver(async () => undefined, { peers: { ...NO_PEERS, byToken } });
  expect(await keyring.identify('signed')).toEqual(acme);
  expect(keyring.recognise('signed')).toBeUndefined();
  expect(await keyring.identify('signed')).toBeUndefined();
});

it('leaves a key that names a peer to the peers', async () => {
  const named = { ...key, principal: 'peer:acme' };
  const keyring = keyringOver(async () => named);
  expect(await keyring.identify('token')).toBeUndefined();
});

it('does not remember a key that was revoked while it was looked up', async () => {
  let found: (key: ApiKey) => void = () => undefined;
  const { feed, ...keyring } = keyringOver(() => new Promise((resolve) => (found = resolve)));
  const identified = keyring.identify('token');
  feed.tell({ kind: 'key', id: 'k1' });
  found(key);
  await identified;
  expect(keyring.recognise('token')).toBeUndefined();
});
