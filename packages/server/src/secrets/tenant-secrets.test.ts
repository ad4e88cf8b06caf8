import type { RewrappedSecret, SecretRecord } from '@baton/engine/ports';
import { describe, expect, it } from 'vitest';
import { keyIdOf, openSecret, wrapSecret } from './secret-envelope.ts';
import { rotateSecrets } from './tenant-secrets.ts';
import { type KeptWrappingKeys, type WrappingKeys, withNewKey } from './wrapping-keys.ts';

const SECRETS = 250;

/** Stored keys and secrets, and a process that dies before or after the write with this number. */
async function hostWith(count: number) {
  let keys: WrappingKeys = withNewKey({ newest: '', keys: new Map() });
  let records: SecretRecord[] = [];
  for (let i = 0; i < count; i += 1) {
    const place = { tenant: `t${i % 3}`, name: `s${String(i).padStart(3, '0')}` };
    records.push({ ...place, jwe: await wrapSecret(keys, place, valueOfName(place.name)), updatedAt: 0 });
  }
  records.sort((a, b) => (textOf(a) < textOf(b) ? -1 : 1));
  const dying = { writes: 0, atWrite: Number.POSITIVE_INFINITY, before: false };
  const written = (write: () => void) => {
    dying.writes += 1;
    const dies = dying.writes === dying.atWrite;
    if (!dies || !dying.before) write();
    if (dies) throw new Error('killed');
  };
  const kept: KeptWrappingKeys = {
    read: async () => keys,
    readOrMake: async () => keys,
    write: async (given) =>
      written(() => {
        keys = given;
      }),
    alone: (work) => work(),
  };
  const reads = {
    everySecret: async (after: { tenant: string; name: string } | undefined, limit: number) =>
      records.filter((one) => after === undefined || textOf(one) > textOf(after)).slice(0, limit),
  };
  const rewrap = async (changed: readonly RewrappedSecret[]) =>
    written(() => {
      const to = new Map(changed.map((one) => [`${textOf(one)} ${one.from}`, one.to]));
      records = records.map((one) => ({ ...one, jwe: to.get(`${textOf(one)} ${one.jwe}`) ?? one.jwe }));
    });
  return {
    dying,
    keys: () => keys,
    records: () => records,
    change: (changed: (record: SecretRecord) => SecretRecord) => {
      records = records.map(changed);
    },
    rotate: () => rotateSecrets({ kept, stored: [{ ...reads, rewrap }] }),
  };
}

const textOf = ({ tenant, name }: { tenant: string; name: string }) => `${tenant}/${name}`;
const valueOfName = (name: string) => `the value of ${name}`;

async function expectAllReadable(host: Awaited<ReturnType<typeof hostWith>>): Promise<void> {
  const values = await Promise.all(host.records().map((record) => openSecret(host.keys(), record)));
  expect(values).toEqual(host.records().map(({ name }) => valueOfName(name)));
}

describe('a rotation', () => {
  it('encrypts every secret with a new key and removes the key before', async () => {
    const host = await hostWith(SECRETS);
    const before = host.keys().newest;
    const { keyId, secrets, unreadable } = await host.rotate();
    expect({ secrets, unreadable }).toEqual({ secrets: SECRETS, unreadable: 0 });
    expect(keyId).not.toBe(before);
    expect([...host.keys().keys.keys()]).toEqual([keyId]);
    expect(host.keys().newest).toBe(keyId);
    await expectAllReadable(host);
  });

  it('makes a key where there is no secret', async () => {
    const host = await hostWith(0);
    expect(await host.rotate()).toMatchObject({ keyId: host.keys().newest, secrets: 0 });
    expect(host.keys().keys.size).toBe(1);
  });

  it.each([1, 2, 3, 4, 5].flatMap((write) => [true, false].map((before) => ({ write, before }))))(
    'loses no secret when the process is killed at write $write (before it: $before)',
    async ({ write, before }) => {
      const host = await hostWith(SECRETS);
      Object.assign(host.dying, { atWrite: write, before });
      await expect(host.rotate()).rejects.toThrow('killed');
      await expectAllReadable(host);
      const { secrets, keyId } = await host.rotate();
      expect(secrets).toBe(SECRETS);
      expect([...host.keys().keys.keys()]).toEqual([keyId]);
      await expectAllReadable(host);
    },
  );

  it('leaves a secret that cannot be opened as it is, with the key that it names', async () => {
    const host = await hostWith(3);
    const before = host.keys().newest;
    const copied = host.records()[0]?.jwe ?? '';
    host.change((record) => (record.name === 's001' ? { ...record, jwe: copied } : record));
    host.change((record) => (record.name === 's002' ? { ...record, jwe: 'damaged' } : record));
    expect(await host.rotate()).toMatchObject({ secrets: 1, unreadable: 2 });
    expect([...host.keys().keys.keys()]).toEqual([before, host.keys().newest]);
    const ids = await Promise.all(host.records().map(({ jwe }) => keyIdOf(jwe)));
    expect(ids).toEqual([host.keys().newest, before, undefined]);
  });
});
