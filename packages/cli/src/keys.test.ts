import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type StorageLocation, storageAt } from '@baton/server/storage';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createKey, listKeys, revokeKey } from './keys.ts';

describe('keys', () => {
  let folder: string;
  let location: StorageLocation;
  let printed: string[];
  let noted: string[];
  const terminal = {
    print: (text: string) => void printed.push(text),
    note: (text: string) => void noted.push(text),
  };
  const holder = { tenant: 'acme', principal: 'ada', scopes: 'runs:create,runs:read' };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'baton-keys-'));
    location = { kind: 'sqlite', folder };
    printed = [];
    noted = [];
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  async function stored() {
    const reads = await storageAt(location).openReads();
    try {
      return await reads.keys();
    } finally {
      await reads.close();
    }
  }

  it('prints a new key alone, so that a script can take it', async () => {
    await createKey(location, holder, terminal);
    expect(printed).toEqual([expect.stringMatching(/^baton_[\w-]{43}$/)]);
    expect(await stored()).toEqual([
      expect.objectContaining({
        tenant: 'acme',
        principal: 'ada',
        scopes: ['runs:create', 'runs:read'],
        hash: createHash('sha256').update(printed[0]!).digest('hex'),
      }),
    ]);
  });

  it('stores nothing when a scope is wrong', async () => {
    await createKey(location, holder, terminal);
    await expect(createKey(location, { ...holder, scopes: 'runs:all' }, terminal)).rejects.toThrow(
      /runs:all/,
    );
    expect(await stored()).toHaveLength(1);
  });

  it.each([
    ['of a role', { role: 'auditor' }, ['runs:read', 'audit:read']],
    [
      'of a role and more',
      { role: 'auditor', scopes: 'runs:read,runs:cancel' },
      ['runs:read', 'audit:read', 'runs:cancel'],
    ],
  ])('gives a key the scopes %s', async (_what, rights, scopes) => {
    await createKey(location, { tenant: 'acme', principal: 'ada', ...rights }, terminal);
    expect(await stored()).toEqual([expect.objectContaining({ scopes, roles: ['auditor'] })]);
  });

  it('does not make a key that may do nothing, or has a role that is none', async () => {
    await createKey(location, holder, terminal);
    const ada = { tenant: 'acme', principal: 'ada' };
    await expect(createKey(location, ada, terminal)).rejects.toThrow(/--role or --scopes/);
    const typo = createKey(location, { ...ada, role: 'veiwer' }, terminal);
    await expect(typo).rejects.toThrow(/did you mean viewer/);
    expect(await stored()).toHaveLength(1);
  });

  it('makes a key for a host that is a peer, in the tenant of the peer', async () => {
    const store = await storageAt(location).openStore();
    const peer = { url: 'https://acme.example', tenant: 'peer-acme', publishes: [], createdAt: 0 };
    await store.putPeer({ ...peer, name: 'acme', kind: 'baton' });
    await store.putPeer({ ...peer, name: 'agent', kind: 'a2a' });
    await store.close();
    const make = (tenant: string, principal: string) =>
      createKey(location, { ...holder, tenant, principal }, terminal);
    await expect(make('peer-acme', 'peer:other')).rejects.toThrow(/no host that is the peer other/);
    await expect(make('peer-acme', 'peer:agent')).rejects.toThrow(/no host that is the peer agent/);
    await expect(make('acme', 'peer:acme')).rejects.toThrow(/write --tenant peer-acme/);
    expect(await stored()).toEqual([]);
    await make('peer-acme', 'peer:acme');
    expect(await stored()).toHaveLength(1);
  });

  it('lists keys without their secrets', async () => {
    await createKey(location, holder, terminal);
    const [key] = printed.splice(0);
    await listKeys(location, terminal);
    expect(printed[0]).toMatch(
      /^ID +TENANT +PRINCIPAL.*\nkey_\w+ +acme +ada +\d{4}-.* +- +runs:create,runs:read$/,
    );
    expect(printed[0]).not.toContain(key);
    await listKeys(location, terminal, true);
    expect(JSON.parse(printed[1] ?? '')).toEqual({
      id: expect.stringMatching(/^key_/),
      tenant: 'acme',
      principal: 'ada',
      scopes: ['runs:create', 'runs:read'],
      createdAt: expect.stringMatching(/^\d{4}-/),
    });
  });

  it('revokes a key once', async () => {
    await createKey(location, holder, terminal);
    const id = (await stored())[0]!.id;
    await revokeKey(location, id, terminal);
    expect((await stored())[0]!.revokedAt).toBeTypeOf('number');
    await revokeKey(location, id, terminal);
    expect(noted.at(-1)).toMatch(/was revoked already/);
  });

  it('says so when there is no such key', async () => {
    await createKey(location, holder, terminal);
    await expect(revokeKey(location, 'key_0', terminal)).rejects.toThrow(/no key key_0/);
  });

  it('does not make a database where there is none, just to look', async () => {
    await expect(listKeys(location, terminal)).rejects.toThrow();
    await expect(stored()).rejects.toThrow();
  });
});
