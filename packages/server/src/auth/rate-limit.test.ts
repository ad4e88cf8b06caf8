import { expect, it } from 'vitest';
import type { Identity } from './identity.ts';
import { limitRequests } from './rate-limit.ts';

const key = (keyId: string, peer?: string): Identity => ({
  keyId,
  tenant: 'acme',
  principal: keyId,
  scopes: new Set(),
  ...(peer !== undefined && { peer: { name: peer, url: 'https://acme.example', publishes: [] } }),
});

it('counts all tokens and keys of a peer together, and those of other peers apart', async () => {
  const { take } = limitRequests({ perKey: 0, perPeer: 2 });
  await take(key('peer:acme', 'acme'));
  await take(key('key_1', 'acme'));
  await expect(take(key('key_2', 'acme'))).rejects.toMatchObject({
    code: 'rate_limited',
    details: { retryAfter: 1 },
  });
  await expect(take(key('key_2', 'other'))).resolves.toBeUndefined();
});

it('counts each key of other callers by itself', async () => {
  const { take, limits } = limitRequests({ perKey: 1, perPeer: 0 });
  expect([limits(key('key_1')), limits(key('key_1', 'acme'))]).toEqual([true, false]);
  await take(key('key_1'));
  await take(key('key_2'));
  await expect(take(key('key_1'))).rejects.toMatchObject({ code: 'rate_limited' });
});
