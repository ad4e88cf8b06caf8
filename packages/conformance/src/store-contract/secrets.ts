import { expect, it } from 'vitest';
import type { SecretRecord } from '../../../engine/src/ports/reads/secrets.ts';
import { T0 } from './example-slices.ts';
import { fresh, type StoreFactory } from './under-test.ts';

const MOST = 3;

export function secretContract(factory: StoreFactory): void {
  it('finds a secret by tenant and name, and lists those of a tenant by name', async () => {
    const { store, reads } = await fresh(factory);
    const stored = [
      secret('b'),
      secret('a', { updatedAt: T0 + 1 }),
      secret('a', { tenant: 'other', jwe: 'x' }),
    ];
    for (const one of stored) expect(await store.putSecret(one, MOST)).toBe(true);
    expect(await reads.secret('acme', 'a')).toEqual(secret('a', { updatedAt: T0 + 1 }));
    expect(await reads.secret('other', 'a')).toEqual(secret('a', { tenant: 'other', jwe: 'x' }));
    expect(await reads.secret('other', 'b')).toBeUndefined();
    expect((await reads.secrets('acme')).map(({ name }) => name)).toEqual(['a', 'b']);
  });

  it('replaces a secret of the same name', async () => {
    const { store, reads } = await fresh(factory);
    await store.putSecret(secret('a'), MOST);
    await store.putSecret(secret('a', { jwe: 'new', updatedAt: T0 + 9 }), MOST);
    expect(await reads.secrets('acme')).toEqual([secret('a', { jwe: 'new', updatedAt: T0 + 9 })]);
  });

  it('keeps at most as many secrets of one tenant as it is told, and still replaces them', async () => {
    const { store, reads } = await fresh(factory);
    for (const name of ['a', 'b', 'c']) await store.putSecret(secret(name), MOST);
    expect(await store.putSecret(secret('d'), MOST)).toBe(false);
    expect(await store.putSecret(secret('c', { jwe: 'new' }), MOST)).toBe(true);
    expect(await store.putSecret(secret('d', { tenant: 'other' }), MOST)).toBe(true);
    expect((await reads.secrets('acme')).map(({ name }) => name)).toEqual(['a', 'b', 'c']);
    await store.deleteSecret('acme', 'a');
    expect(await store.putSecret(secret('d'), MOST)).toBe(true);
  });

  it('deletes a secret of its tenant, once', async () => {
    const { store, reads } = await fresh(factory);
    await store.putSecret(secret('a'), MOST);
    expect(await store.deleteSecret('other', 'a')).toBe(false);
    expect(await store.deleteSecret('acme', 'a')).toBe(true);
    expect(await store.deleteSecret('acme', 'a')).toBe(false);
    expect(await reads.secret('acme', 'a')).toBeUndefined();
  });

  it('reads the secrets of all tenants in pages', async () => {
    const { store, reads } = await fresh(factory);
    for (const tenant of ['b', 'a']) {
      for (const name of ['y', 'x']) await store.putSecret(secret(name, { tenant }), MOST);
    }
    const first = await reads.everySecret(undefined, 3);
    const places = first.map(({ tenant, name }) => `${tenant}/${name}`);
    expect(places).toEqual(['a/x', 'a/y', 'b/x']);
    expect(await reads.everySecret(first.at(-1), 3)).toEqual([secret('y', { tenant: 'b' })]);
    expect(await reads.everySecret({ tenant: 'b', name: 'y' }, 3)).toEqual([]);
  });

  it('replaces the stored form of secrets, except where it has changed meanwhile', async () => {
    const { store, reads } = await fresh(factory);
    for (const name of ['a', 'b']) await store.putSecret(secret(name), MOST);
    const replaced = await store.rewrapSecrets([
      { tenant: 'acme', name: 'a', from: 'jwe of a', to: 'other' },
      { tenant: 'acme', name: 'b', from: 'an earlier one', to: 'other' },
      { tenant: 'other', name: 'a', from: 'jwe of a', to: 'other' },
    ]);
    expect(replaced).toBe(1);
    expect(await reads.secrets('acme')).toEqual([secret('a', { jwe: 'other' }), secret('b')]);
  });
}

function secret(name: string, more: Partial<SecretRecord> = {}): SecretRecord {
  return { tenant: 'acme', name, jwe: `jwe of ${name}`, updatedAt: T0, ...more };
}
