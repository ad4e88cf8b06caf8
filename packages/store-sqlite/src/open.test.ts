import { statSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { birth, record } from '../../conformance/src/store-contract/example-slices.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { databaseFile } from './data-folder.ts';
import { asDatabase } from './database/native.ts';
import { openSqliteReads, openSqliteStore } from './open.ts';
import { sqliteStore } from './store.ts';

describe('openSqliteStore', () => {
  it('creates a folder and files that only their owner can read', async () => {
    const folder = join(temporaryFolder(), 'new', 'data');
    const store = openSqliteStore(folder);
    await store.commit([birth(record('a'))]);
    const mode = (path: string) => statSync(path).mode & 0o777;
    expect(mode(folder)).toBe(0o700);
    expect(mode(databaseFile(folder))).toBe(0o600);
    expect(mode(`${databaseFile(folder)}-wal`)).toBe(0o600);
    await store.close();
  });

  it('syncs every commit: WAL with synchronous FULL', async () => {
    const native = new BetterSqlite3(join(temporaryFolder(), 'baton.db'));
    const store = sqliteStore(asDatabase(native), 'x');
    const pragma = (name: string) => native.pragma(name, { simple: true });
    expect(pragma('journal_mode')).toBe('wal');
    expect(pragma('synchronous')).toBe(2);
    expect(pragma('wal_autocheckpoint')).toBe(500);
    await store.close();
  });

  it('refuses a newer database without touching it', () => {
    const folder = temporaryFolder();
    openSqliteStore(folder).close();
    const native = new BetterSqlite3(databaseFile(folder));
    native.pragma('journal_mode = DELETE');
    native.pragma('user_version = 99');
    expect(() => openSqliteStore(folder)).toThrow(/schema version 99/);
    expect(() => openSqliteReads(folder)).toThrow(/schema version 99/);
    expect(native.pragma('journal_mode', { simple: true })).toBe('delete');
    native.close();
  });
});

describe('openSqliteReads', () => {
  it('sees what the writer commits while both are open', async () => {
    const folder = temporaryFolder();
    const store = openSqliteStore(folder);
    const reads = openSqliteReads(folder);
    expect(await reads.run('acme', 'a')).toBeUndefined();
    await store.commit([birth(record('a'))]);
    expect((await reads.run('acme', 'a'))?.head).toBe(1);
    await reads.close();
    await store.close();
  });

  it('does not create a database', () => {
    expect(() => openSqliteReads(temporaryFolder())).toThrow(/There is no Baton database in .*--data/);
  });
});
