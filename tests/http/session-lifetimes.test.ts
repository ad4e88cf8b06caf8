import { storageAt } from '@baton/server/storage';
import { expect, it } from 'vitest';
import { emptyFolder } from '../empty-folder.ts';
import { asPage, cookieOf, signedIn } from './browser.ts';
import { OPERATOR_KEY, startTestHost, type TestHost } from './host.ts';

const ANA = { token: 'key-of-ana', tenant: 'acme', scopes: ['runs:read', 'runs:create'] };

it('a session outlives the host, a sign-out does so too, and a revoked or replaced key ends its sessions', async () => {
  const dataFolder = emptyFolder();
  const before = await startTestHost({ dataFolder }, [ANA]);
  const [kept, left, unused] = [
    await signedIn(before, ANA.token),
    await signedIn(before, ANA.token),
    await signedIn(before, ANA.token),
  ];
  const gone = await before.send('DELETE', '/v1/session', undefined, asPage(left));
  expect([gone.status, gone.text]).toEqual([204, '']);
  expect(gone.headers.get('set-cookie')).toMatch(/^baton_session=; Path=\/; Max-Age=0; HttpOnly/);
  expect((await before.get('/v1/session', asPage(left))).status).toBe(401);
  await before.stop();

  const after = await startTestHost({ dataFolder });
  expect((await after.get('/v1/session', asPage(kept))).body).toMatchObject({ tenant: 'acme' });
  expect((await after.get('/v1/session', asPage(left))).status).toBe(401);
  const store = await storageAt({ kind: 'sqlite', folder: dataFolder }).openStore();
  await store.revokeKey('key-key-of-ana', Date.now());
  await store.close();
  const refused = await after.get('/v1/runs', asPage(unused));
  expect([refused.status, refused.body.message]).toEqual([
    401,
    'This session has ended, or is not known; sign in again.',
  ]);
  const operator = await signedIn(after, OPERATOR_KEY);
  await after.stop();

  const publicUrl = 'https://baton.example.com';
  const renewed = await startTestHost({ dataFolder, publicUrl, apiKey: 'another-operator-key' });
  expect((await renewed.get('/v1/session', asPage(operator))).status).toBe(401);
  await cookiesAreSecure(renewed);
  await renewed.stop();
});

/** The host is reached by https, so its cookies are sent over https only. */
async function cookiesAreSecure(host: TestHost): Promise<void> {
  const key = 'another-operator-key';
  const answer = await host.post('/v1/session', { key }, { key: null });
  expect(answer.headers.get('set-cookie')).toMatch(/; Secure$/);
  const made = await host.post('/v1/session/codes', undefined, { key });
  expect(made.body.url).toMatch(/^https:\/\/baton\.example\.com\/#code=/);
  const out = await host.send('DELETE', '/v1/session', undefined, asPage(cookieOf(answer)));
  expect(out.headers.get('set-cookie')).toMatch(/; Secure$/);
}
