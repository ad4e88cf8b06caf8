import { expect, it } from 'vitest';
import type { Identity } from '../auth/identity.ts';
import { createSessions } from './sessions.ts';

const identity = (tenant: string, keyId = 'k'): Identity => ({
  keyId,
  tenant,
  principal: 'p',
  scopes: new Set(),
});

function bench() {
  const closed: string[] = [];
  const clock = { now: 0 };
  const sessions = createSessions<{ close(): Promise<void> }>({
    now: () => clock.now,
    idleMs: 100,
    perTenant: 2,
  });
  const add = (id: string, owner: Identity): void =>
    sessions.add(id, owner, {
      close: async () => {
        closed.push(id);
      },
    });
  return { sessions, add, closed, clock };
}

it('finds a session for the key that opened it only', () => {
  const { sessions, add } = bench();
  add('one', identity('a'));
  expect(sessions.use('one', identity('a'))).toBeDefined();
  expect(sessions.use('one', identity('a', 'another'))).toBeUndefined();
  expect(sessions.use('one', identity('b'))).toBeUndefined();
});

it('ends a session that was not used for a while, but not one that is in use', async () => {
  const { sessions, add, closed, clock } = bench();
  add('used', identity('a'));
  add('idle', identity('a'));
  const use = sessions.use('used', identity('a'));
  clock.now = 100;
  expect(sessions.use('idle', identity('a'))).toBeUndefined();
  await sessions.makeRoom(identity('b'));
  expect(closed).toEqual(['idle']);
  use?.leave();
  use?.leave();
  clock.now = 199;
  expect(sessions.use('used', identity('a'))).toBeDefined();
});

it('closes the session of a tenant that was unused for longest, and refuses when all are in use', async () => {
  const { sessions, add, closed, clock } = bench();
  add('first', identity('a'));
  clock.now = 1;
  add('second', identity('a'));
  add('of another tenant', identity('b'));
  sessions.use('first', identity('a'))?.leave();
  clock.now = 2;
  sessions.use('first', identity('a'))?.leave();
  await sessions.makeRoom(identity('a'));
  expect(closed).toEqual(['second']);
  add('third', identity('a'));
  sessions.use('first', identity('a'));
  sessions.use('third', identity('a'));
  await expect(sessions.makeRoom(identity('a'))).rejects.toMatchObject({ code: 'too_many_open' });
  await sessions.closeAll();
  expect(closed).toHaveLength(4);
});
