import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { moveStorage } from '@baton/server/move-storage';
import { storageAt } from '@baton/server/storage';
import { openSqliteStore } from '@baton/store-sqlite';
import Database from 'better-sqlite3';
import { afterAll, expect, it } from 'vitest';
import { restoreBackup, takeBackup } from '../../packages/cli/src/copies.ts';
import { outputTo } from '../../packages/cli/src/output/output.ts';
import { storageLocation } from '../../packages/cli/src/settings/given.ts';
import { newDatabase, stopServers } from '../../packages/store-postgres/testing/postgres-server.ts';
import { ask, folderFor, move } from './kit.ts';

/** What cannot be moved is refused with the reason, and leaves both sides as they were. */

afterAll(stopServers);

const SLOW = { timeout: 60_000 };

/** The data folder of a host that was stopped. */
async function stoppedFolder(): Promise<string> {
  const folder = folderFor('stopped');
  const store = openSqliteStore(folder);
  const key = { id: 'k', hash: 'h', tenant: 'default', principal: 'ada', scopes: ['runs:read'] };
  await store.putKey({ ...key, createdAt: 1 });
  await store.close();
  return folder;
}

const UNREACHABLE = 'postgres://nobody:secret@127.0.0.1:1/baton';

it('refuses the folder of a running host', SLOW, async () => {
  const folder = await stoppedFolder();
  const lock = await storageAt({ kind: 'sqlite', folder }).lock({
    name: 'host',
    version: '1',
    leaseMs: 1000,
  });
  await expect(move(folder, UNREACHABLE)).rejects.toThrow(
    `A host is using the data folder ${folder}. Stop it first`,
  );
  await lock.release();
  // Nothing holds the folder after a move, also not after one that failed.
  await expect(move(folder, UNREACHABLE)).rejects.toThrow();
  await expect(move(folder, UNREACHABLE)).rejects.not.toThrow('is using');
});

it('refuses a folder without a database, and does not create it', SLOW, async () => {
  const folder = join(folderFor('none'), 'missing');
  await expect(move(folder, UNREACHABLE)).rejects.toThrow(`There is no data folder ${folder}`);
  await expect(move(folder, UNREACHABLE)).rejects.toThrow(`There is no data folder ${folder}`);
  await expect(move(folderFor('none'), UNREACHABLE)).rejects.toThrow('There is no Baton database in');
});

it('refuses a folder of a development version', SLOW, async () => {
  const folder = await stoppedFolder();
  const database = new Database(join(folder, 'baton.db'));
  database.exec('PRAGMA user_version = 0');
  database.close();
  await expect(move(folder, UNREACHABLE)).rejects.toThrow(/was made by a development version of Baton/);
});

it.each(['mysql://db/baton', 'baton', 'undefined'])('refuses %s as a target', async (to) => {
  await expect(move(folderFor('any'), to)).rejects.toThrow('--to must be the address of a Postgres database');
});

it('says that the target cannot be reached, without its password', SLOW, async () => {
  const refused = await move(await stoppedFolder(), UNREACHABLE).catch((error: Error) => error);
  expect(String(refused)).toMatch(/postgres:\/\/127\.0\.0\.1:1\/baton cannot be reached .*or correct --to/);
  expect(String(refused)).not.toContain('secret');
});

it('refuses a target that a host has used, and says what it has', SLOW, async () => {
  const folder = await stoppedFolder();
  const url = await newDatabase();
  expect(await move(folder, url)).toMatchObject({ exit: 0 });
  await expect(move(folder, url)).rejects.toThrow(/is not empty: it has 1 key\. .*create a new one/);
  await ask(url, "DELETE FROM api_keys; INSERT INTO host_keys VALUES ('audit', 'x') ON CONFLICT DO NOTHING");
  await expect(move(folder, url)).rejects.toThrow(/is not empty: it has rows in .*host_keys/);
});

it('leaves the target empty when it fails, so that it can be tried again', SLOW, async () => {
  const folder = await stoppedFolder();
  const database = new Database(join(folder, 'baton.db'));
  database.exec("INSERT INTO remote_cancels VALUES ('r', 'peer' || char(0), 't', 'n', 1)");
  const url = await newDatabase();
  await expect(move(folder, url)).rejects.toThrow('a text in remote_cancels.peer has the character U+0000');
  expect(await ask(url, 'SELECT * FROM api_keys')).toEqual([]);
  database.exec('DELETE FROM remote_cancels');
  database.close();
  expect(await move(folder, url)).toMatchObject({ exit: 0 });
});

it('reports what the audit finds in the copy', SLOW, async () => {
  const folder = await stoppedFolder();
  const database = new Database(join(folder, 'baton.db'));
  database.exec("INSERT INTO audit_checkpoints VALUES (1, 1, 'd', 'k', 's', '[7]', 1)");
  database.close();
  const { exit, printed } = await move(folder, await newDatabase(), 'json');
  expect(exit).toBe(1);
  expect(JSON.parse(printed[0] ?? '')).toMatchObject({ agrees: false, moved: { api_keys: 1, runs: 0 } });
});

it('moves the keys of the folder and the sessions that have ended', SLOW, async () => {
  const folder = await stoppedFolder();
  writeFileSync(join(folder, 'token.key'), 'abc\n');
  writeFileSync(join(folder, 'ended-sessions'), 'one 99\ntwo 5\ncut o');
  const url = await newDatabase();
  await moveStorage({ kind: 'sqlite', folder }, { kind: 'postgres', url });
  expect(await ask(url, 'SELECT * FROM host_keys')).toEqual([{ name: 'token', text: 'abc' }]);
  expect(await ask(url, 'SELECT id FROM ended_sessions ORDER BY id')).toEqual([{ id: 'one' }, { id: 'two' }]);
});

it('leaves backups of a database to Postgres', async () => {
  const location = storageLocation({ BATON_DATABASE_URL: UNREACHABLE }, { data: folderFor('unused') });
  const out = outputTo('lines', false, { print: () => undefined, note: () => undefined });
  await expect(takeBackup(location, 'file', out)).rejects.toThrow('use pg_dump and pg_restore');
  await expect(restoreBackup(location, 'file', out)).rejects.toThrow('use pg_dump and pg_restore');
});
