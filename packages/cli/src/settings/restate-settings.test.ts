import { expect, it } from 'vitest';
import { readSettings } from '../settings.ts';

const DATABASE = { BATON_DATABASE_URL: 'postgres://db/baton' };
const RESTATE = { ...DATABASE, BATON_RESTATE_URL: 'http://restate:8080/' };

function restateIn(env: Readonly<Record<string, string>>) {
  const reading = readSettings(env, {});
  return reading.ok ? reading.settings.restate : reading.problems;
}

it('hands out nothing unless an operator names a Restate', () => {
  expect(restateIn({})).toBeUndefined();
  expect(restateIn(DATABASE)).toBeUndefined();
});

it('listens on loopback and performs all kinds by itself', () => {
  expect(restateIn(RESTATE)).toMatchObject({
    url: 'http://restate:8080',
    listen: { host: '127.0.0.1', port: 9080 },
    perform: ['model', 'tool', 'agent', 'peer', 'alarm'],
  });
});

it('reads what the operator names', () => {
  const named = {
    BATON_RESTATE_LISTEN: '[::1]:9999',
    BATON_PERFORM: 'model, tool',
    BATON_RESTATE_ADMIN: 'http://restate:9070',
    BATON_RESTATE_ENDPOINT: 'http://pool:9080',
    BATON_RESTATE_IDENTITY_KEY: 'publickeyv1_abc',
  };
  expect(restateIn({ ...RESTATE, ...named })).toEqual({
    url: 'http://restate:8080',
    listen: { host: '::1', port: 9999 },
    perform: ['model', 'tool'],
    adminUrl: 'http://restate:9070',
    endpointUrl: 'http://pool:9080',
    identityKey: 'publickeyv1_abc',
  });
});

it.each([
  [{ BATON_RESTATE_URL: 'http://restate:8080' }, /BATON_RESTATE_URL needs hosts that share a database/],
  [{ ...DATABASE, BATON_PERFORM: 'model' }, /BATON_PERFORM has no effect without Restate/],
  [{ ...RESTATE, BATON_PERFORM: 'models' }, /names "models"; the kinds are model, tool, agent, peer, alarm/],
  [
    { ...RESTATE, BATON_RESTATE_URL: 'restate:8080' },
    /BATON_RESTATE_URL is "restate:8080", which is not an address/,
  ],
  [{ ...RESTATE, BATON_RESTATE_LISTEN: '9080' }, /write a host and a port, such as 127\.0\.0\.1:9080/],
  [{ ...RESTATE, BATON_RESTATE_ADMIN: 'http://restate:9070' }, /belong together/],
  [{ ...RESTATE, BATON_RESTATE_IDENTITY_KEY: 'secret' }, /begins with publickeyv1_/],
])('refuses %j with a reason', (env, reason) => {
  expect(restateIn(env)).toEqual([expect.stringMatching(reason)]);
});
