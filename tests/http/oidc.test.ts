import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { asPage } from './browser.ts';
import { CLIENT, type FakeIssuer, startFakeIssuer } from './fake-issuer.ts';
import { startTestHost } from './host.ts';

/** Signing in with an OpenID provider, which is a fake one on loopback. */

const RULES = [
  { claim: 'groups', value: 'ops', tenant: 'default', role: 'operator' },
  { claim: 'realm.roles', value: 'reader', tenant: 'acme', role: 'viewer' },
  { claim: 'email', value: 'ana@example.com', tenant: 'acme', scopes: ['runs:read'] },
] as const;

const issuer: FakeIssuer = await startFakeIssuer();
const host = await startTestHost({ oidc: { issuer: issuer.url, ...CLIENT, rules: RULES } });
afterAll(async () => {
  await host.stop();
  await issuer.stop();
});
beforeEach(() => issuer.says((claims) => ({ ...claims, groups: ['staff', 'ops'] })));

interface Came {
  readonly status: number;
  readonly location: string | null;
  readonly error: string | undefined;
  /** The cookies that the answer sets, by their names. */
  readonly cookies: Readonly<Record<string, string>>;
}

async function visit(url: string, cookie = ''): Promise<Came> {
  // A browser comes back by a redirect of another site.
  const headers = { cookie, accept: 'text/html', 'sec-fetch-site': 'cross-site' };
  const answer = await fetch(url, { redirect: 'manual', headers });
  const text = await answer.text();
  const set = answer.headers.getSetCookie().map((one) => one.split(';')[0]?.split('=') ?? []);
  return {
    status: answer.status,
    location: answer.headers.get('location'),
    error: text === '' ? undefined : JSON.parse(text).error,
    cookies: Object.fromEntries(set.map(([name, ...value]) => [name, value.join('=')])),
  };
}

async function begin() {
  const begun = await visit(`${host.url}/v1/session/oidc`);
  return { ...begun, kept: `baton_oidc=${begun.cookies.baton_oidc}`, to: begun.location ?? '' };
}

async function signIn(change: (back: URL) => void = () => undefined): Promise<Came> {
  const { to, kept } = await begin();
  const back = issuer.visit(to);
  change(back);
  return visit(back.href, kept);
}

const sessionOf = ({ cookies }: Came) => `baton_session=${cookies.baton_session}`;

describe('a sign-in with a provider', () => {
  it('leads to the provider with PKCE, a state and a nonce, which the browser keeps', async () => {
    const answer = await fetch(`${host.url}/v1/session/oidc`, { redirect: 'manual' });
    const to = new URL(answer.headers.get('location') ?? '');
    expect([answer.status, to.origin, to.pathname]).toEqual([302, issuer.url, '/authorize']);
    expect(Object.fromEntries(to.searchParams)).toEqual({
      kept: '1',
      response_type: 'code',
      client_id: CLIENT.clientId,
      redirect_uri: `${host.url}/v1/session/oidc/callback`,
      scope: 'openid profile email',
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    });
    expect(answer.headers.get('set-cookie')).toMatch(
      /^baton_oidc=\S+; Path=\/v1\/session\/oidc; Max-Age=600; HttpOnly; SameSite=Lax$/,
    );
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  it('gives the rights of the rule, and leads to the console', async () => {
    const came = await signIn();
    expect([came.status, came.location]).toEqual([302, '/']);
    // The state is used up.
    expect(came.cookies.baton_oidc).toBe('');
    const { body } = await host.get('/v1/session', asPage(sessionOf(came)));
    expect(body).toMatchObject({
      tenant: 'default',
      principal: 'oidc:u-1',
      keyId: 'oidc:u-1',
      via: 'session',
      signIn: { oidc: true },
    });
    expect(body.scopes).toContain('runs:create');
    expect(body.scopes).not.toContain('host:operate');
    expect(Date.parse(body.expiresAt) - Date.now()).toBeLessThanOrEqual(12 * 3_600_000);
    expect((await host.post('/v1/runs', { workflowId: 'quick' }, asPage(sessionOf(came)))).status).toBe(201);
    expect((await host.send('DELETE', '/v1/session', undefined, asPage(sessionOf(came)))).status).toBe(204);
    expect((await host.get('/v1/session', asPage(sessionOf(came)))).status).toBe(401);
  });

  it.each<[string, object, object]>([
    ['a claim within a claim', { realm: { roles: ['reader'] } }, { tenant: 'acme', principal: 'oidc:u-1' }],
    [
      'a verified address',
      { email: 'ana@example.com', email_verified: true },
      { tenant: 'acme', principal: 'ana@example.com', scopes: ['runs:read'] },
    ],
  ])('finds the rule by %s', async (_what, more, expected) => {
    issuer.says((claims) => ({ ...claims, ...more }));
    expect((await host.get('/v1/session', asPage(sessionOf(await signIn())))).body).toMatchObject(expected);
  });

  it('is one of the ways that the sign-in page offers', async () => {
    const ways = await host.get('/v1/session/ways', { key: null });
    expect(ways.body).toEqual({ key: true, code: true, oidc: true, oidcName: new URL(issuer.url).host });
  });

  it('never leads anywhere else', async () => {
    const came = await signIn((back) => {
      for (const name of ['next', 'return_to', 'redirect_uri', 'url']) {
        back.searchParams.set(name, 'https://evil.example/');
      }
    });
    expect([came.status, came.location]).toEqual([302, '/']);
  });
});

const seconds = (more: number) => Math.floor(Date.now() / 1000) + more;
const ops = { groups: ['ops'] };

describe('nobody gets in', () => {
  it('without a rule that fits', async () => {
    for (const more of [
      {},
      { groups: 'ops team' },
      { groups: ['opsx'] },
      { groups: { ops: true } },
      { email: 'ana@example.com' },
      { email: 'ana@example.com', email_verified: 'true' },
      { ...ops, sub: 'x'.repeat(256) },
      { ...ops, sub: 'line\nbreak' },
    ]) {
      issuer.says((claims) => ({ ...claims, ...more }));
      const came = await signIn();
      expect([more, came.status, came.error]).toEqual([more, 403, 'forbidden']);
      expect(came.cookies.baton_session).toBeUndefined();
    }
  });

  it('with a state of another browser, or none', async () => {
    const [mine, theirs] = [await begin(), await begin()];
    const back = issuer.visit(theirs.to).href;
    const before = issuer.asked.length;
    for (const kept of ['', 'baton_oidc=', mine.kept, `${theirs.kept}x`, `${mine.kept}; ${theirs.kept}`]) {
      const came = await visit(back, kept);
      expect([kept, came.status, came.cookies.baton_session]).toEqual([kept, 401, undefined]);
    }
    // The code was not given to the provider, so nobody else can use it up.
    expect(issuer.asked.length).toBe(before);
    expect((await visit(back, theirs.kept)).status).toBe(302);
    // The code is used up now.
    expect((await visit(back, theirs.kept)).status).toBe(401);
  });

  it.each<[string, object, ('signed' | 'unsigned' | 'by another key' | 'hmac')?]>([
    ['without a signature', ops, 'unsigned'],
    ['signed with the secret of the client', ops, 'hmac'],
    ['signed by another key', ops, 'by another key'],
    ['with another nonce', { ...ops, nonce: 'other' }],
    ['of another issuer', { ...ops, iss: 'https://evil.example' }],
    ['for another client', { ...ops, aud: 'other' }],
    ['for several clients, and meant for another', { ...ops, aud: [CLIENT.clientId, 'other'], azp: 'other' }],
    ['that has expired', { ...ops, exp: seconds(-60) }],
  ])('with a token %s', async (_what, more, how) => {
    issuer.says((claims) => ({ ...claims, ...more }), how);
    const came = await signIn();
    expect([came.status, came.error, came.cookies.baton_session]).toEqual([
      401,
      'unauthenticated',
      undefined,
    ]);
  });
});

describe('a provider that fails', () => {
  it('is reported as such, and the host tries again the next time', async () => {
    const alone = await startTestHost({
      oidc: { issuer: `${issuer.url}/elsewhere`, ...CLIENT, rules: RULES },
    });
    const refused = await alone.get('/v1/session/oidc', { key: null });
    expect([refused.status, refused.body.error]).toEqual([503, 'overloaded']);
    await alone.stop();
    issuer.fails(500);
    const came = await signIn();
    expect([came.status, came.error]).toEqual([503, 'overloaded']);
    issuer.fails(0);
    expect((await signIn()).status).toBe(302);
  });

  it('and guesses are slowed down', async () => {
    let last = 0;
    for (let guess = 0; guess < 12 && last !== 429; guess += 1) {
      last = (await signIn((back) => back.searchParams.set('code', 'guess'))).status;
    }
    expect(last).toBe(429);
  });
});

it('a host does not start with a role that does not exist', async () => {
  const rules = [{ claim: 'groups', value: 'x', tenant: 'default', role: 'king' }];
  await expect(startTestHost({ oidc: { issuer: issuer.url, ...CLIENT, rules } })).rejects.toThrow(
    'BATON_OIDC_ROLES names the role "king"; the roles are operator,',
  );
});
