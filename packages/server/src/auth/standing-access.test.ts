import { expect, it } from 'vitest';
import type { Identity } from './identity.ts';
import { keyStands, standingAccess } from './standing-access.ts';

const ANA: Identity = { keyId: 'k1', tenant: 'acme', principal: 'ana', scopes: new Set(['runs:read']) };
const OPERATOR: Identity = { ...ANA, keyId: 'operator', tenant: 'default' };

function watched(stands: (caller: Identity) => Promise<boolean>) {
  const ticks = new Set<() => void>();
  const asked: string[] = [];
  const access = standingAccess({
    stands: async (caller) => {
      asked.push(caller.session?.id ?? caller.keyId);
      return stands(caller);
    },
    repeat(work) {
      ticks.add(work);
      return () => void ticks.delete(work);
    },
  });
  return {
    access,
    asked,
    ticks,
    async second() {
      for (const tick of ticks) tick();
      await new Promise(setImmediate);
    },
  };
}

it('ends the streams of a caller who has lost a right, and no others', async () => {
  const lost = new Set<string>();
  const { access, second } = watched(async ({ keyId }) => !lost.has(keyId));
  const ended: string[] = [];
  const stops = ['ana 1', 'ana 2'].map((name) => access.watch(ANA, () => ended.push(name)));
  access.watch(OPERATOR, () => ended.push('operator'));
  await second();
  expect(ended).toEqual([]);
  stops[0]?.();
  lost.add('k1');
  await second();
  expect(ended).toEqual(['ana 2']);
});

it('asks once for all streams of a caller, and not at all when there are none', async () => {
  const { access, asked, ticks, second } = watched(async () => true);
  expect(ticks.size).toBe(0);
  const session = { id: 's1', expiresAt: 9 };
  const stops = [ANA, { ...ANA }, { ...ANA, session }].map((caller) => access.watch(caller, () => undefined));
  await second();
  expect(asked).toEqual(['k1', 's1']);
  for (const stop of stops) stop();
  expect(ticks.size).toBe(0);
});

it('ends nothing while the store cannot be read', async () => {
  const { access, second } = watched(() => Promise.reject(new Error('the disk is gone')));
  const ended: string[] = [];
  access.watch(ANA, () => ended.push('ana'));
  await second();
  expect(ended).toEqual([]);
});

it('lets a key stand while it gives the same rights', async () => {
  const owner = (now: Identity | undefined) => ({ operator: OPERATOR, ownerOf: async () => now });
  expect(await keyStands(owner(ANA), ANA)).toBe(true);
  expect(await keyStands(owner({ ...ANA, scopes: new Set(['runs:read', 'runs:create']) }), ANA)).toBe(true);
  expect(await keyStands(owner({ ...ANA, scopes: new Set() }), ANA)).toBe(false);
  expect(await keyStands(owner({ ...ANA, tenant: 'other' }), ANA)).toBe(false);
  expect(await keyStands(owner(undefined), ANA)).toBe(false);
  expect(await keyStands(owner(undefined), OPERATOR)).toBe(true);
});
