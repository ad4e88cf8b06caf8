import { scopesOfRole } from '@baton/engine';
import { afterAll, describe, expect, it } from 'vitest';
import { ask, type Named, type Operation, operationsOf } from './api-walk.ts';
import { asPage, signedIn } from './browser.ts';
import { OPERATOR_KEY, startTestHost } from './host.ts';

/** Every route with a session: what a key may do its session may do, and nothing else, and only from own pages. */

/** `roles.test.ts` tests what each role may do with a key. */
const HOLDERS = ['runner', 'viewer', 'nobody'] as const;

const keyOf = (role: string) => `key-of-the-${role}`;
const cookies = new Map<string, string>();

const keys = HOLDERS.map((role) => ({
  token: keyOf(role),
  tenant: 'default',
  scopes: role === 'nobody' ? [] : scopesOfRole(role),
}));
const host = await startTestHost({ corsOrigins: ['https://friend.example'] }, keys);
afterAll(() => host.stop());
for (const role of HOLDERS) cookies.set(role, await signedIn(host, keyOf(role)));
cookies.set('host', await signedIn(host, OPERATOR_KEY));
// A sign-out ends the session; `session-lifetimes.test.ts` tests it.
const all = (await operationsOf(host)).filter(({ name }) => name !== 'DELETE /v1/session');
const guarded: readonly Operation[] = all.filter(({ access }) => access !== 'public');
const named: Named = { runId: (await host.run('quick')).body.runId, workflowId: 'role-made', path: 'a.txt' };

const cookie = (role: string) => cookies.get(role) ?? '';
const scopeRefused = ({ status, body }: Awaited<ReturnType<typeof ask>>) =>
  status === 403 ? (body.details?.scope ?? 'refused') : undefined;

describe('a session', () => {
  it.each(HOLDERS)('of the %s is refused where the key is refused', async (role) => {
    expect(guarded.length).toBeGreaterThan(50);
    for (const operation of guarded) {
      if (operation.path === '/v1/session/codes') continue;
      const byKey = scopeRefused(await ask(host, operation, named, { key: keyOf(role) }));
      const byCookie = scopeRefused(await ask(host, operation, named, asPage(cookie(role))));
      expect([operation.name, byCookie]).toEqual([operation.name, byKey]);
    }
  });

  it('makes no sign-in code, with which it could prolong itself', async () => {
    const answer = await host.post('/v1/session/codes', undefined, asPage(cookie('host')));
    expect([answer.status, answer.body.error]).toEqual([403, 'forbidden']);
  });

  it('counts on no route when it is not valid', async () => {
    const valid = cookie('viewer');
    const wrong = [
      'baton_session=',
      'baton_session=x.y',
      `${valid}x`,
      `${valid}; ${valid}`,
      `${valid}; ${cookie('host')}`,
      valid.replace('baton_session', 'Baton_Session'),
      `baton_session=${OPERATOR_KEY}`,
    ];
    for (const operation of guarded) {
      for (const text of wrong) {
        const { status } = await ask(host, operation, named, asPage(text));
        expect([operation.name, text, status]).toEqual([operation.name, text, 401]);
      }
    }
  });

  it('changes nothing by a request of another page', async () => {
    const bare = { key: null, headers: { cookie: cookie('host') } };
    const others: readonly Readonly<Record<string, string>>[] = [
      { 'x-baton-console': '1' },
      { 'sec-fetch-site': 'same-origin' },
      { 'sec-fetch-site': 'same-site', 'x-baton-console': '1' },
      { 'sec-fetch-site': 'cross-site', 'x-baton-console': '1' },
      { origin: 'https://friend.example', 'x-baton-console': '1' },
    ];
    const changing = guarded.filter(({ method }) => method !== 'GET');
    expect(changing.length).toBeGreaterThan(25);
    for (const operation of changing) {
      for (const headers of others) {
        const answer = await ask(host, operation, named, {
          ...bare,
          headers: { ...bare.headers, ...headers },
        });
        expect([operation.name, answer.status, answer.body.error]).toEqual([
          operation.name,
          403,
          'forbidden',
        ]);
        expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
      }
    }
  });

  it('is not read by another page', async () => {
    const headers = { cookie: cookie('host'), 'sec-fetch-site': 'cross-site' };
    for (const operation of guarded.filter(({ method }) => method === 'GET')) {
      const { status } = await ask(host, operation, named, { key: null, headers });
      expect([operation.name, status]).toEqual([operation.name, 403]);
    }
  });

  it('does not count beside an Authorization header, whatever the header holds', async () => {
    const page = asPage(cookie('host'));
    for (const authorization of ['Bearer wrong', 'Basic b3BlcmF0b3I6a2V5', '', `Bearer ${keyOf('nobody')}`]) {
      const { status } = await host.get('/v1/runs', { ...page, headers: { ...page.headers, authorization } });
      expect([authorization, status]).toEqual([authorization, authorization.includes('nobody') ? 403 : 401]);
    }
    const both = await host.get('/v1/session', { ...page, key: keyOf('viewer') });
    expect(both.body).toMatchObject({ via: 'key', keyId: `key-${keyOf('viewer')}` });
  });

  it('tells a stranger with a cookie nothing about addresses and methods', async () => {
    for (const [method, path] of [
      ['GET', '/v1/no-such-thing'],
      ['DELETE', '/v1/runs/x'],
      ['GET', '/v1/runs/%ZZ'],
    ] as const) {
      const { status } = await host.send(method, path, undefined, asPage('baton_session=x.y'));
      expect([path, status]).toEqual([path, 401]);
    }
    expect((await host.get('/v1/no-such-thing', asPage(cookie('host')))).status).toBe(404);
  });
});

it('takes no cookie that is larger than a header may be', async () => {
  const huge = `baton_session=${'a'.repeat(12_000)}`;
  expect((await host.get('/v1/runs', asPage(huge))).status).toBe(401);
  const many = Array.from({ length: 1500 }, (_, index) => `c${index}=1`).join('; ');
  expect((await host.get('/v1/runs', asPage(`${many}; ${cookie('host')}`))).status).toBe(200);
});
