import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type StorageLocation, storageAt } from '@baton/server/storage';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createKey, listKeys, newKey, parseRole, parseScopes, revokeKey } from './keys.ts';
import { outputTo } from './output/output.ts';

describe('keys', () => {
  let folder: string;
  let location: StorageLocation;
  let printed: string[];
  let noted: string[];
  const terminal = {
    print: (text: string) => void printed.push(text),
    note: (text: string) => void noted.push(text),
  };
  const out = outputTo('lines', false, terminal);
  const asJson = outputTo('json', false, terminal);
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
    await createKey(location, holder, out);
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
    await createKey(location, holder, out);
    await expect(createKey(location, { ...holder, scopes: 'runs:all' }, out)).rejects.toThrow(/runs:all/);
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
    await createKey(location, { tenant: 'acme', principal: 'ada', ...rights }, out);
    expect(await stored()).toEqual([expect.objectContaining({ scopes, roles: ['auditor'] })]);
  });

  it('does not make a key that may do nothing, or has a role that is none', async () => {
    await createKey(location, holder, out);
    const ada = { tenant: 'acme', principal: 'ada' };
    await expect(createKey(location, ada, out)).rejects.toThrow(/--role or --scopes/);
    const typo = createKey(location, { ...ada, role: 'veiwer' }, out);
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
      createKey(location, { ...holder, tenant, principal }, out);
    await expect(make('peer-acme', 'peer:other')).rejects.toThrow(/no host that is the peer other/);
    await expect(make('peer-acme', 'peer:agent')).rejects.toThrow(/no host that is the peer agent/);
    await expect(make('acme', 'peer:acme')).rejects.toThrow(/write --tenant peer-acme/);
    expect(await stored()).toEqual([]);
    await make('peer-acme', 'peer:acme');
    expect(await stored()).toHaveLength(1);
  });

  it('lists keys without their secrets', async () => {
    await createKey(location, holder, out);
    const [key] = printed.splice(0);
    await listKeys(location, out);
    expect(printed[0]).toMatch(
      /^ID +TENANT +PRINCIPAL.*\nkey_\w+ +acme +ada +\d{4}-.* +- +runs:create,runs:read$/,
    );
    expect(printed[0]).not.toContain(key);
    await listKeys(location, asJson);
    expect(JSON.parse(printed[1] ?? '')).toEqual({
      id: expect.stringMatching(/^key_/),
      tenant: 'acme',
      principal: 'ada',
      scopes: ['runs:create', 'runs:read'],
      createdAt: expect.stringMatching(/^\d{4}-/),
    });
  });

  it('revokes a key once', async () => {
    await createKey(location, holder, out);
    const id = (await stored())[0]!.id;
    await revokeKey(location, id, out);
    expect((await stored())[0]!.revokedAt).toBeTypeOf('number');
    await revokeKey(location, id, out);
    expect(noted.at(-1)).toMatch(/was revoked already/);
  });

  it('tells a new and a revoked key as one object', async () => {
    await createKey(location, holder, asJson);
    const made = JSON.parse(printed.splice(0).join());
    const facts = { tenant: 'acme', principal: 'ada', scopes: ['runs:create', 'runs:read'] };
    const times = { createdAt: expect.stringMatching(/^\d{4}-/) };
    expect(made).toEqual({ id: made.id, ...facts, ...times, key: expect.stringMatching(/^baton_/) });
    await revokeKey(location, made.id, asJson);
    await revokeKey(location, made.id, asJson);
    const [first, again] = printed.map((line) => JSON.parse(line));
    expect(first).toEqual({ id: made.id, ...facts, ...times, revokedAt: expect.stringMatching(/^\d{4}-/) });
    expect(again).toEqual(first);
    expect(noted).toEqual([]);
  });

  it('says so when there is no such key', async () => {
    await createKey(location, holder, out);
    await expect(revokeKey(location, 'key_0', out)).rejects.toThrow(/no key key_0/);
  });

  it('does not make a database where there is none, just to look', async () => {
    await expect(listKeys(location, out)).rejects.toThrow();
    await expect(stored()).rejects.toThrow();
  });
});

const holder = { tenant: 'acme', principal: 'ada', scopes: ['runs:read'] };

describe('newKey', () => {
  it('is 32 random bytes that can be told from other secrets', () => {
    expect(newKey(holder, 0).key).toMatch(/^baton_[\w-]{43}$/);
    expect(newKey(holder, 0).key).not.toBe(newKey(holder, 0).key);
  });

  it('is stored as its SHA-256 and nothing more', () => {
    const { key, record } = newKey(holder, 1000);
    expect(record).toEqual({
      id: expect.stringMatching(/^key_[0-9a-f]{12}$/),
      hash: createHash('sha256').update(key).digest('hex'),
      ...holder,
      createdAt: 1000,
    });
    expect(JSON.stringify(record)).not.toContain(key);
  });
});

it('reads a role', () => {
  expect(parseRole('viewer')).toBe('viewer');
});

it('suggests the role that was meant', () => {
  expect(() => parseRole('approvr')).toThrow(/"approvr".*did you mean approver\?.*operator, author/);
});

describe('parseScopes', () => {
  it('reads a list, each scope once', () => {
    expect(parseScopes(' runs:create,runs:read, runs:create,')).toEqual(['runs:create', 'runs:read']);
  });

  it('suggests the scope that was meant', () => {
    expect(() => parseScopes('runs:reed')).toThrow(/"runs:reed".*did you mean runs:read\?/);
  });

  it('refuses an empty list', () => {
    expect(() => parseScopes(' , ')).toThrow(/one or more of manifest:read/);
  });
});
