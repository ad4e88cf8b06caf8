import type { Page } from 'playwright-core';
import { afterAll, expect, it } from 'vitest';
import { startConsole, type TestConsole } from './kit.ts';

const site: TestConsole = await startConsole(
  [],
  [{ token: 'viewer-key-0123456789', tenant: 'default', scopes: ['runs:read'] }],
);
afterAll(() => site.stop());

it('signs in with the link, once, and takes the code out of the address', async () => {
  const page = await site.stranger();
  const { body } = await site.host().post('/v1/session/codes');
  await page.goto(body.url);
  await page.getByRole('heading', { name: 'Welcome to Baton' }).waitFor();
  expect(page.url()).not.toContain('code');
  const [cookie] = await page.context().cookies();
  expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict' });
  expect(await page.evaluate('document.cookie')).toBe('');

  const second = await site.stranger();
  await second.goto(body.url);
  await second.getByRole('heading', { name: 'Sign in to Baton' }).waitFor();
  expect(await second.getByLabel('API key').getAttribute('aria-invalid')).toBe('true');
});

it('signs in with a key, says why it does not, and signs out', async () => {
  const page = await site.stranger();
  await page.goto(`${site.url}/inbox`);
  await page.getByLabel('API key').fill('no-such-key-0123456789');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByText(/not known|not valid|no longer valid/).waitFor();
  await page.getByLabel('API key').fill('operator-key-for-tests');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('heading', { name: 'Inbox' }).waitFor();
  await page.getByRole('button', { name: 'Account and theme' }).first().click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in to Baton' }).waitFor();
  expect(await page.evaluate("fetch('/v1/runs').then((answer) => answer.status)")).toBe(401);
});

it('offers a reader nothing that a reader may not do, and the host refuses it all the same', async () => {
  const page = await site.signedIn({ key: 'viewer-key-0123456789' });
  await page.goto(`${site.url}/runs`);
  await page.getByRole('heading', { name: 'Runs', exact: true }).waitFor();
  expect(await page.getByRole('button', { name: 'Start a run' }).count()).toBe(0);
  expect(await page.getByRole('link', { name: 'Host' }).count()).toBe(0);
  const refused = await page.evaluate(
    `fetch('/v1/runs', { method: 'POST', headers: { 'content-type': 'application/json', 'x-baton-console': '1' },
      body: '{"workflowId":"hello"}' }).then((answer) => answer.status)`,
  );
  expect(refused).toBe(403);
});

/** A link in the name of somebody, such as an attacker might send. */
const linkOf = async (key: string): Promise<string> =>
  (await site.host().post('/v1/session/codes', undefined, { key })).body.url;
const whoIsIn = (page: Page) =>
  page.evaluate("fetch('/v1/session').then((answer) => answer.json()).then(({ principal }) => principal)");

it('asks before a link makes somebody who is signed in somebody else', async () => {
  const page = await site.signedIn();
  const before = await whoIsIn(page);
  await page.goto('about:blank');
  await page.goto(await linkOf('viewer-key-0123456789'));
  await page.getByRole('heading', { name: 'Sign in with this link?' }).waitFor();
  expect(page.url()).not.toContain('code');
  expect(await page.getByText('You are signed in as').textContent()).toContain('operator');
  await page.getByRole('button', { name: 'Stay signed in' }).click();
  await page.getByRole('link', { name: 'Host' }).waitFor();
  expect(await whoIsIn(page)).toBe(before);

  // In the tab of the console, the same link does not load the page again.
  const link = await linkOf('viewer-key-0123456789');
  await page.evaluate(`location.href = ${JSON.stringify(link)}`);
  await page.getByRole('button', { name: 'Use the link' }).click();
  await page.getByRole('link', { name: 'Runs', exact: true }).waitFor();
  expect(await whoIsIn(page)).not.toBe(before);
  expect(await page.getByRole('link', { name: 'Host' }).count()).toBe(0);
});

it('leaves every tab when one of them signs out', async () => {
  const page = await site.signedIn();
  const other = await page.context().newPage();
  await other.goto(`${site.url}/runs`);
  await other.getByRole('heading', { name: 'Runs', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Account and theme' }).first().click();
  await page.getByText('Signed in as operator of default').waitFor();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await other.getByRole('heading', { name: 'Sign in to Baton' }).waitFor();
  expect(await other.getByRole('navigation', { name: 'Pages' }).count()).toBe(0);
});

it('runs under its content security policy, without an error and without another host', () => {
  expect(site.faults).toEqual([]);
});
