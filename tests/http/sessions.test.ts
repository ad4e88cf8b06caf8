import { afterAll, describe, expect, it } from 'vitest';
import { asPage, cookieOf, signedIn } from './browser.ts';
import { startTestHost } from './host.ts';

/** Browser sessions over HTTP. */

const ANA = { token: 'key-of-ana', tenant: 'acme', scopes: ['runs:read', 'runs:create'] };
const BO = { token: 'key-of-bo', tenant: 'bravo', scopes: ['runs:read', 'runs:create'] };
const host = await startTestHost({ corsOrigins: ['https://friend.example'] }, [ANA, BO]);
afterAll(() => host.stop());

const exchange = (body: object) => host.post('/v1/session', body, { key: null });
const codeOf = async (key = ANA.token): Promise<string> =>
  (await host.post('/v1/session/codes', undefined, { key })).body.code;

describe('a sign-in', () => {
  it('with a code gives the session of the key that made the code', async () => {
    const made = await host.post('/v1/session/codes', undefined, { key: ANA.token });
    expect([made.status, made.headers.get('cache-control')]).toEqual([201, 'no-store']);
    expect(made.body.url).toBe(`${host.url}/#code=${made.body.code}`);
    expect(Date.parse(made.body.expiresAt) - Date.now()).toBeGreaterThan(500_000);
    const answer = await exchange({ code: made.body.code });
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(answer.body).toMatchObject({
      tenant: 'acme',
      principal: 'holder of key-of-ana',
      keyId: 'key-key-of-ana',
      scopes: ['runs:create', 'runs:read'],
      via: 'session',
      signIn: { oidc: false },
    });
    expect(answer.headers.get('set-cookie')).toMatch(
      /^baton_session=[\w-]+\.[\w-]+; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/,
    );
    expect((await host.get('/v1/session', asPage(cookieOf(answer)))).body).toEqual(answer.body);
  });

  it('with a key is the same, and the caller with the key itself has no session', async () => {
    const seen = await host.get('/v1/session', asPage(await signedIn(host, BO.token)));
    expect(seen.body).toMatchObject({ tenant: 'bravo', via: 'session', expiresAt: expect.any(String) });
    const bearer = await host.get('/v1/session', { key: BO.token });
    expect(bearer.body).toMatchObject({ tenant: 'bravo', via: 'key' });
    expect(bearer.body).not.toHaveProperty('expiresAt');
  });

  it('with the same code works once, even when two browsers try at the same time', async () => {
    const code = await codeOf();
    const answers = await Promise.all([exchange({ code }), exchange({ code }), exchange({ code })]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
    expect(answers.flatMap((answer) => (cookieOf(answer) === '' ? [] : [1]))).toHaveLength(1);
  });

  it('never makes a session that the caller has chosen', async () => {
    const [first, second] = [await signedIn(host, ANA.token), await signedIn(host, ANA.token)];
    const again = await host.post('/v1/session', { key: ANA.token }, asPage(first));
    expect(new Set([first, second, cookieOf(again)]).size).toBe(3);
  });

  it.each<[string, object | undefined, number]>([
    ['neither', {}, 400],
    ['nothing', undefined, 400],
    ['both', { code: 'c', key: 'k' }, 400],
    ['an unknown code and more', { code: 'c', tenant: 'acme' }, 401],
    ['a number', { code: 7 }, 400],
    ['an empty code', { code: '' }, 400],
    ['a long code', { code: 'c'.repeat(1025) }, 400],
    ['a huge body', { code: 'c'.repeat(10_000) }, 413],
  ])('with %s is refused', async (_what, body, status) => {
    expect((await host.post('/v1/session', body, { key: null })).status).toBe(status);
  });

  it('is not possible from another site', async () => {
    const others: readonly Readonly<Record<string, string>>[] = [
      { 'sec-fetch-site': 'cross-site' },
      { origin: 'https://friend.example' },
    ];
    for (const headers of others) {
      const answer = await host.post('/v1/session', { key: ANA.token }, { key: null, headers });
      expect([answer.status, answer.headers.get('set-cookie')]).toEqual([403, null]);
    }
  });

  it('tells the same of every code and key that is not valid, and is slowed down', async () => {
    const used = await codeOf();
    await exchange({ code: used });
    const told = new Set<string>();
    for (const code of [used, 'never-was', 'a'.repeat(43)]) told.add((await exchange({ code })).text);
    expect(told.size).toBe(1);
    let refused = await exchange({ key: 'guess' });
    for (let guess = 0; guess < 12 && refused.status === 401; guess += 1) {
      refused = await exchange({ key: `guess-${guess}` });
    }
    expect([refused.status, refused.body.error]).toEqual([429, 'rate_limited']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    // A key in a header is no sign-in.
    expect((await host.get('/v1/session', { key: ANA.token })).status).toBe(200);
  });
});

describe('without a session', () => {
  it('the ways to sign in are public, and nothing else is told', async () => {
    const ways = await host.get('/v1/session/ways', { key: null });
    expect([ways.status, ways.body]).toEqual([200, { key: true, code: true, oidc: false }]);
    const nobody = await host.get('/v1/session', { key: null });
    expect([nobody.status, Object.keys(nobody.body)]).toEqual([401, ['error', 'message']]);
  });
});
