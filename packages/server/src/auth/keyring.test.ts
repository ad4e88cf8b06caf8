import { createHash } from 'node:crypto';
import type { ApiKey } from '@baton/engine/ports';
import { expect, it } from 'vitest';
import { createKeyring } from './keyring.ts';
import { SCOPES } from './scopes.ts';

const digest = (token: string) => createHash('sha256').update(token).digest('hex');
const key: ApiKey = {
  id: 'k1',
  hash: digest('token'),
  tenant: 'acme',
  principal: 'ana',
  scopes: ['runs:read', 'made:up'],
  createdAt: 0,
};

it('knows the operator by the configured key', async () => {
  const keyring = createKeyring({ keyByHash: async () => undefined }, 'secret', () => 0);
  expect(await keyring.identify('secret')).toMatchObject({ tenant: 'default', scopes: new Set(SCOPES) });
  expect(await keyring.identify('Secret')).toBeUndefined();
});

it('knows others by the digest, and only the scopes that exist', async () => {
  const keyring = createKeyring(
    { keyByHash: async (hash) => (hash === key.hash ? key : undefined) },
    'x',
    () => 0,
  );
  expect(await keyring.identify('token')).toEqual({
    keyId: 'k1',
    tenant: 'acme',
    principal: 'ana',
    scopes: new Set(['runs:read']),
  });
  expect(await keyring.identify(key.hash)).toBeUndefined();
});

it('notices within a second that a key was revoked', async () => {
  let time = 0;
  let stored = key;
  const keyring = createKeyring({ keyByHash: async () => stored }, 'x', () => time);
  expect(await keyring.identify('token')).toBeDefined();
  stored = { ...key, revokedAt: 1 };
  time = 999;
  expect(keyring.recognise('token')).toBeDefined();
  time = 1000;
  expect(keyring.recognise('token')).toBeUndefined();
  expect(await keyring.identify('token')).toBeUndefined();
});
