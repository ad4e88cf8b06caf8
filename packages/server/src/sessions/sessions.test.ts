import { changeListeners } from '@baton/engine/ports';
import { expect, it } from 'vitest';
import type { Identity } from '../auth/identity.ts';
import type { StoredEndings } from '../storage/open-storage.ts';
import { derivedKey, signed } from './session-token.ts';
import { createSessions, SESSION_MS } from './sessions.ts';

const TOKEN_KEY = Buffer.from('the key of the host');
const OPERATOR: Identity = { keyId: 'operator', tenant: 'default', principal: 'operator', scopes: new Set() };
const ANA: Identity = { keyId: 'k1', tenant: 'acme', principal: 'ana', scopes: new Set(['runs:read']) };

/** Endings in memory, as a data folder keeps them. */
function storedEndings(): StoredEndings {
  const ended: { id: string; until: number }[] = [];
  return {
    endedSessions: async (now) => ended.filter(({ until }) => until > now),
    addEndedSession: async (one) => void ended.push(one),
  };
}

async function fresh(more: Partial<Parameters<typeof createSessions>[0]> = {}) {
  const clock = { time: 1_000 };
  const keys = new Map([['k1', ANA]]);
  const feed = changeListeners();
  const sessions = await createSessions({
    tokenKey: TOKEN_KEY,
    operatorKey: 'operator-key',
    owners: { operator: OPERATOR, ownerOf: async (id) => keys.get(id) },
    personOf: () => undefined,
    endings: storedEndings(),
    feed,
    now: () => clock.time,
    ...more,
  });
  const open = async (identity = ANA) => {
    const session = await sessions.open(sessions.holderOf(identity));
    if (session === undefined) throw new Error('no session');
    return session;
  };
  return { ...sessions, openFor: open, clock, keys, feed };
}

it('gives the rights of the holder, and the end of the session', async () => {
  const { openFor, identify } = await fresh();
  const { token, identity } = await openFor();
  expect(identity).toEqual({
    ...ANA,
    session: { id: expect.any(String), expiresAt: 1_000 + SESSION_MS },
  });
  expect(await identify(token)).toEqual(identity);
  expect(await identify((await openFor(OPERATOR)).token)).toMatchObject(OPERATOR);
});

it('has the present rights of its key, within a second', async () => {
  const { openFor, identify, keys, clock, feed } = await fresh();
  const { token } = await openFor();
  await identify(token);
  keys.set('k1', { ...ANA, scopes: new Set(['runs:create']) });
  clock.time += 1000;
  expect((await identify(token))?.scopes).toEqual(new Set(['runs:create']));
  keys.delete('k1');
  feed.tell({ kind: 'key', id: 'k1' });
  expect(await identify(token)).toBeUndefined();
});

it('is not opened for a key that was revoked meanwhile', async () => {
  const { open, holderOf, keys } = await fresh();
  const holder = holderOf(ANA);
  keys.delete('k1');
  expect(await open(holder)).toBeUndefined();
});

it('ends when its key is that of another tenant', async () => {
  const { openFor, identify, keys } = await fresh();
  const { token } = await openFor();
  keys.set('k1', { ...ANA, tenant: 'other' });
  expect(await identify(token)).toBeUndefined();
});

it('ends after twelve hours, also when it was used a moment ago', async () => {
  const { openFor, identify, clock } = await fresh();
  const { token } = await openFor();
  clock.time += SESSION_MS - 1;
  expect(await identify(token)).toBeDefined();
  clock.time += 1;
  expect(await identify(token)).toBeUndefined();
});

it('ends at a sign-out, at once and for later starts of the host, and no other session ends', async () => {
  const endings = storedEndings();
  const first = await fresh({ endings });
  const { token, identity } = await first.openFor();
  const other = await first.openFor();
  await first.identify(token);
  await first.end(identity);
  await first.end(identity);
  expect(await first.identify(token)).toBeUndefined();
  expect(await first.identify(other.token)).toBeDefined();
  const second = await fresh({ endings });
  expect(await second.identify(token)).toBeUndefined();
  expect(await second.identify(other.token)).toBeDefined();
  expect(await endings.endedSessions(0)).toHaveLength(1);
});

it('of the operator ends when the operator sets another key', async () => {
  const { token } = await (await fresh()).openFor(OPERATOR);
  expect(await (await fresh()).identify(token)).toBeDefined();
  expect(await (await fresh({ operatorKey: 'another-key' })).identify(token)).toBeUndefined();
});

it.each<[string, (token: string) => string]>([
  ['empty', () => ''],
  ['a point', () => '.'],
  ['longer', (token) => `${token}.x`],
  ['without a signature', (token) => token.split('.')[0] ?? ''],
  ['with another spelling of the signature', (token) => `${token}=`],
  ['with a changed payload', (token) => `x${token}`],
  ['signed for another purpose', () => signed(derivedKey(TOKEN_KEY, 'oidc'), claimOf(ANA))],
  ['signed with the key of the host itself', () => signed(TOKEN_KEY, claimOf(ANA))],
  ['of another host', () => signed(derivedKey(Buffer.from('else'), 'session'), claimOf(ANA))],
  ['huge', (token) => token + 'a'.repeat(100_000)],
])('is refused when its text is %s', async (_what, change) => {
  const { openFor, identify } = await fresh();
  const { token } = await openFor();
  expect(await identify(change(token))).toBeUndefined();
});

it('is accepted when it is signed as the host signs, so that the cases above are refused for their reasons', async () => {
  const { identify } = await fresh();
  expect(await identify(signed(derivedKey(TOKEN_KEY, 'session'), claimOf(ANA)))).toBeDefined();
});

function claimOf({ keyId, tenant }: Identity) {
  return { id: 's', expiresAt: 10_000, holder: { kind: 'key', keyId, tenant } };
}

it('stands while it is open and its key gives the same rights', async () => {
  const { openFor, stands, end, keys, clock } = await fresh();
  const { identity } = await openFor();
  const other = (await openFor()).identity;
  expect(await stands(identity)).toBe(true);
  await end(identity);
  expect([await stands(identity), await stands(other), await stands(ANA)]).toEqual([false, true, true]);
  clock.time += SESSION_MS;
  expect([await stands(other), await stands(ANA)]).toEqual([false, true]);
  keys.delete('k1');
  expect([await stands(ANA), await stands(OPERATOR)]).toEqual([false, true]);
});

it('stands for a person of a provider, and for a peer, as long as it is open', async () => {
  const { stands } = await fresh();
  const person: Identity = { ...ANA, keyId: 'oidc:ana', session: { id: 's', expiresAt: 1_001 } };
  const peer: Identity = {
    ...ANA,
    keyId: 'peer',
    peer: { name: 'p', url: 'https://p.example', publishes: [] },
  };
  expect([await stands(person), await stands(peer)]).toEqual([true, true]);
});
