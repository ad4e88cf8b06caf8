import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { find, layers, memorySlice, write } from '../../conformance/src/store-contract/example-memory.ts';
import {
  advanced,
  birth,
  events,
  forked,
  forkOf,
  record,
  slice,
} from '../../conformance/src/store-contract/example-slices.ts';
import { completingPlaces } from '../../conformance/src/store-contract/under-test.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { backup, restore } from './copies.ts';
import { databaseFile } from './data-folder.ts';
import { lockDataFolder } from './lock.ts';
import { openSqliteReads, openSqliteStore } from './open.ts';

async function folderWithRun(): Promise<string> {
  const folder = temporaryFolder();
  const store = completingPlaces(openSqliteStore(folder));
  await store.commit([birth(record('a'), 3)]);
  await store.close();
  return folder;
}

describe('backup', () => {
  it('copies a moment while the host goes on writing', async () => {
    const folder = temporaryFolder();
    const store = completingPlaces(openSqliteStore(folder));
    await store.commit([birth(record('a'), 1), birth(record('b'), 1)]);
    // Large enough that the copy takes several steps, with commits between them.
    const bulk = Array.from({ length: 1500 }, () => 'x'.repeat(8000));
    await store.commit([birth(record('bulk'), 0, { events: bulk })]);

    const file = join(temporaryFolder(), 'copy.db');
    let head = 1;
    let copying = true;
    const copied = backup(folder, file).finally(() => {
      copying = false;
    });
    while (copying) {
      await store.commit([slice('a', [advanced('a', head, 1), advanced('b', head, 1)])]);
      head += 1;
      await new Promise((resolve) => setImmediate(resolve));
    }
    await copied;
    await store.close();

    const elsewhere = join(temporaryFolder(), 'restored');
    await restore(file, elsewhere);
    const reads = openSqliteReads(elsewhere);
    const stored = await reads.events('acme', 'a', 0, head);
    expect(stored).toEqual(events('a', 0, stored.length));
    expect(await reads.events('acme', 'b', 0, head)).toHaveLength(stored.length);
    expect((await reads.run('acme', 'a'))?.head).toBe(stored.length);
    expect(await reads.events('acme', 'bulk', 0, 2000)).toHaveLength(1500);
    expect(head).toBeGreaterThan(3);
    await reads.close();
  });

  it('copies memory with what finds it, and forks with where they begin', async () => {
    const folder = await folderWithRun();
    const store = completingPlaces(openSqliteStore(folder));
    const written = write('scope:s', 1, 'k', { content: 'a quick fox', tags: ['t'] });
    await store.commit([forked('f', forkOf('a', 2), 1), memorySlice(written)]);
    await store.close();
    const file = join(temporaryFolder(), 'copy.db');
    const elsewhere = join(temporaryFolder(), 'restored');
    await backup(folder, file);
    await restore(file, elsewhere);
    const reads = openSqliteReads(elsewhere);
    for (const query of [{ tag: 't' }, { text: 'fox' }, { id: 'k' }]) {
      expect(await find(reads, layers(['scope:s', 1]), query)).toHaveLength(1);
    }
    expect(await reads.events('acme', 'f', 0, 9)).toEqual([...events('a', 0, 2), ...events('f', 2, 1)]);
    await reads.close();
  });

  it('makes one private file that needs nothing beside it', async () => {
    const target = temporaryFolder();
    await backup(await folderWithRun(), join(target, 'copy.db'));
    expect(readdirSync(target)).toEqual(['copy.db']);
    expect(statSync(join(target, 'copy.db')).mode & 0o777).toBe(0o600);
  });

  it('does not overwrite a file', async () => {
    const file = join(temporaryFolder(), 'precious');
    writeFileSync(file, 'precious');
    await expect(backup(await folderWithRun(), file)).rejects.toThrow(`${file} already exists`);
    expect(readFileSync(file, 'utf8')).toBe('precious');
  });

  it('says so when there is nothing to copy', async () => {
    const folder = temporaryFolder();
    await expect(backup(folder, join(folder, 'copy.db'))).rejects.toThrow(`no Baton database in ${folder}`);
  });

  it('does not hand out a damaged copy', async () => {
    const folder = await folderWithRun();
    const native = new BetterSqlite3(databaseFile(folder));
    native.unsafeMode();
    native.pragma('writable_schema = ON');
    native.exec(
      "UPDATE sqlite_schema SET sql = replace(sql, 'UNIQUE (run_no, seq)', 'UNIQUE (run_no, pos)')",
    );
    native.close();
    const file = join(temporaryFolder(), 'copy.db');
    await expect(backup(folder, file)).rejects.toThrow(/damaged/);
    expect(existsSync(file)).toBe(false);
  });
});

describe('restore', () => {
  it('makes a folder that a host can go on with', async () => {
    const file = join(temporaryFolder(), 'copy.db');
    await backup(await folderWithRun(), file);
    const folder = join(temporaryFolder(), 'new');
    await restore(file, folder);
    const store = completingPlaces(openSqliteStore(folder));
    expect(await store.commit([slice('a', [advanced('a', 3, 1)])])).toEqual(['committed']);
    await store.close();
  });

  it('refuses a folder that holds a database, or the log of one', async () => {
    const file = join(temporaryFolder(), 'copy.db');
    await backup(await folderWithRun(), file);
    await expect(restore(file, await folderWithRun())).rejects.toThrow(/baton\.db already exists/);
    const remnant = temporaryFolder();
    writeFileSync(`${databaseFile(remnant)}-wal`, 'old');
    await expect(restore(file, remnant)).rejects.toThrow(/baton\.db-wal already exists/);
  });

  it('refuses a folder that a host is using', async () => {
    const file = join(temporaryFolder(), 'copy.db');
    await backup(await folderWithRun(), file);
    const folder = temporaryFolder();
    const lock = lockDataFolder(folder);
    await expect(restore(file, folder)).rejects.toThrow(/another Baton is using/);
    lock.release();
  });

  it.each([
    [
      'text',
      (file: string) => writeFileSync(file, 'not a database, but long enough to look into'.repeat(99)),
    ],
    [
      'the database of another program',
      (file: string) => void new BetterSqlite3(file).exec('CREATE TABLE t (x)'),
    ],
  ])('refuses %s', async (_, make) => {
    const file = join(temporaryFolder(), 'file');
    make(file);
    const folder = temporaryFolder();
    await expect(restore(file, folder)).rejects.toThrow(`${file} is not a Baton database`);
    expect(existsSync(databaseFile(folder))).toBe(false);
  });

  it('refuses an empty file and a missing one', async () => {
    const folder = temporaryFolder();
    const file = join(temporaryFolder(), 'empty');
    await expect(restore(file, folder)).rejects.toThrow(`there is no backup at ${file}`);
    writeFileSync(file, '');
    await expect(restore(file, folder)).rejects.toThrow(`${file} is empty`);
  });
});
