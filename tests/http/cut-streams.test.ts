import { storageAt } from '@baton/server/storage';
import { afterAll, expect, it } from 'vitest';
import { emptyFolder } from '../empty-folder.ts';
import { asPage, signedIn } from './browser.ts';
import { ALL_SCOPES, startTestHost } from './host.ts';
import { openEvents } from './server-sent.ts';

/** A stream is open for as long as its reader may read, and no longer. */

const dataFolder = emptyFolder();
const host = await startTestHost({ dataFolder }, [
  { token: 'key-of-ana', tenant: 'default', scopes: ALL_SCOPES },
  { token: 'key-of-ben', tenant: 'default', scopes: ALL_SCOPES },
]);
afterAll(() => host.stop());
const runId: string = (await host.run('parent')).body.runId;

const PATHS = () => ['/v1/runs:watch', `/v1/runs/${runId}/events`, `/v1/runs/${runId}/tree/events`];

/** Streams that have begun, and their ends. */
async function streams(headers: Readonly<Record<string, string>>) {
  const opened = await Promise.all(PATHS().map((path) => openEvents(host, path, headers)));
  expect(opened.map(({ response }) => response.status)).toEqual([200, 200, 200]);
  for (const stream of opened) await stream.next();
  return () => Promise.all(opened.map((stream) => stream.rest()));
}

/** A browser sends no key. */
const pageHeaders = (cookie: string) => ({ ...asPage(cookie).headers, authorization: '' });

it('ends the streams of a session at its sign-out, and those of other sessions go on', async () => {
  const [left, stays] = [await signedIn(host, 'key-of-ana'), await signedIn(host, 'key-of-ana')];
  const ended = await streams(pageHeaders(left));
  const other = await openEvents(host, '/v1/runs:watch', pageHeaders(stays));
  await other.next();
  await host.send('DELETE', '/v1/session', undefined, asPage(left));
  expect(await ended()).toHaveLength(3);
  const { body } = await host.run('quick');
  expect(JSON.parse((await other.next())?.data ?? '{}')).toMatchObject({ runId: body.runId });
  other.close();
});

it('ends the streams of a key, and of the sessions of the key, when another process revokes it', async () => {
  const byKey = await streams({ authorization: 'Bearer key-of-ben' });
  const bySession = await streams(pageHeaders(await signedIn(host, 'key-of-ben')));
  const store = await storageAt({ kind: 'sqlite', folder: dataFolder }).openStore();
  await store.revokeKey('key-key-of-ben', Date.now());
  await store.close();
  expect(await byKey()).toHaveLength(3);
  expect(await bySession()).toHaveLength(3);
});
