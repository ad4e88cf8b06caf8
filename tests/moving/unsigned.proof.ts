import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, expect, it } from 'vitest';
import { newDatabase, stopServers } from '../../packages/store-postgres/testing/postgres-server.ts';
import { startTestHost } from '../http/host.ts';
import { ask, folderFor, move } from './kit.ts';

afterAll(stopServers);

/** Makes a folder as a host leaves it that was killed before it signed anything. */
function unsign(folder: string): void {
  const database = new Database(join(folder, 'baton.db'));
  for (const table of ['audit_checkpoints', 'audit_leaves'])
    database.exec(`DROP TRIGGER ${table}_not_deleted; DELETE FROM ${table}`);
  database.exec('UPDATE audit_progress SET pos = 0, newest = 0');
  database.close();
}

it('moves events that are not signed yet, and the first host signs them', { timeout: 120_000 }, async () => {
  const folder = folderFor('unsigned');
  const sqlite = await startTestHost({ dataFolder: folder });
  await sqlite.run('quick');
  await sqlite.run('quick');
  await sqlite.stop();
  unsign(folder);

  const url = await newDatabase();
  const { exit, noted } = await move(folder, url);
  expect(exit).toBe(0);
  expect(noted).toContain('The audit chain is verified. 2 runs have events that the first host signs.');
  expect(await ask(url, 'SELECT signed FROM commits')).toEqual([{ signed: false }]);
  // So that every transaction to come has a greater number.
  expect(await ask(url, 'SELECT max(xid) <= max(xid_offset) AS below FROM commits, host')).toEqual([
    { below: true },
  ]);

  const postgres = await startTestHost({ dataFolder: folderFor('other'), databaseUrl: url });
  try {
    const audit = async () => (await postgres.get('/v1/audit/verify')).body;
    await expect
      .poll(audit)
      .toMatchObject({ findings: [], checked: { unsigned: 0, runs: 2, checkpoints: 1 } });
  } finally {
    await postgres.stop();
  }
});
