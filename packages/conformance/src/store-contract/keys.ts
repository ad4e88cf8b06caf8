import { expect, it } from 'vitest';
import type { ApiKey } from '../../../engine/src/ports/reads/keys.ts';
import { T0 } from './example-slices.ts';
import { fresh, type StoreFactory } from './under-test.ts';

export function keyContract(factory: StoreFactory): void {
  it('finds a key by its hash or its id, and no other', async () => {
    const { store, reads } = await fresh(factory);
    await store.putKey(key('k1'));
    await store.putKey(key('k2', { scopes: [], tenant: 'other' }));
    expect(await reads.keyByHash('hash of k1')).toEqual(key('k1'));
    expect(await reads.keyByHash('hash of k')).toBeUndefined();
    expect(await reads.key('k1')).toEqual(key('k1'));
    expect(await reads.key('k')).toBeUndefined();
    expect(await reads.keys()).toEqual([key('k1'), key('k2', { scopes: [], tenant: 'other' })]);
  });

  it('keeps the roles of a key', async () => {
    const { store, reads } = await fresh(factory);
    await store.putKey(key('k1', { roles: ['viewer', 'auditor'] }));
    expect(await reads.keyByHash('hash of k1')).toEqual(key('k1', { roles: ['viewer', 'auditor'] }));
    await store.putKey(key('k1'));
    expect(await reads.keys()).toEqual([key('k1')]);
  });

  it('replaces a key of the same id', async () => {
    const { store, reads } = await fresh(factory);
    await store.putKey(key('k1'));
    await store.putKey(key('k1', { hash: 'new', scopes: ['admin'] }));
    expect(await reads.keyByHash('hash of k1')).toBeUndefined();
    expect(await reads.keys()).toEqual([key('k1', { hash: 'new', scopes: ['admin'] })]);
  });

  it('marks a revoked key, once', async () => {
    const { store, reads } = await fresh(factory);
    await store.putKey(key('k1'));
    expect(await store.revokeKey('k1', T0 + 5)).toBe(true);
    expect(await store.revokeKey('k1', T0 + 6)).toBe(false);
    expect(await store.revokeKey('nobody', T0)).toBe(false);
    expect(await reads.keyByHash('hash of k1')).toEqual(key('k1', { revokedAt: T0 + 5 }));
    expect(await reads.key('k1')).toEqual(key('k1', { revokedAt: T0 + 5 }));
  });
}

function key(id: string, more: Partial<ApiKey> = {}): ApiKey {
  return {
    id,
    hash: `hash of ${id}`,
    tenant: 'acme',
    principal: 'ada',
    scopes: ['runs:read', 'runs:write'],
    createdAt: T0,
    ...more,
  };
}
