import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { asDatabase, openNative } from './native.ts';
import { configureWriter } from './settings.ts';

const MARK = 'Ada Lovelace';

it.each([
  ['small rows', 300],
  ['rows of several pages', 20_000],
])('leave nothing of %s that have moved and were removed', (_, size) => {
  const folder = mkdtempSync(join(tmpdir(), 'baton-settings-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const database = asDatabase(openNative(join(folder, 'baton.db')));
  onTestFinished(() => void database.close());
  configureWriter(database);
  database.exec('CREATE TABLE states (no INTEGER PRIMARY KEY, state TEXT NOT NULL)');
  const insert = database.prepare('INSERT INTO states VALUES (?, ?)');
  const change = database.prepare('UPDATE states SET state = ? WHERE no = ?');
  for (let no = 1; no <= 60; no += 1) {
    insert.run(no, `${MARK} ${'x'.repeat((no * 37) % size)} ${MARK}`);
    for (let times = 2; times <= 4; times += 1) {
      change.run(`${MARK} ${'x'.repeat((no * times * 71) % size)} ${MARK}`, no);
    }
  }
  database.exec('DELETE FROM states; PRAGMA wal_checkpoint(TRUNCATE)');

  const holders = readdirSync(folder).filter((name) => readFileSync(join(folder, name)).includes(MARK));
  expect(readdirSync(folder)).toContain('baton.db');
  expect(holders).toEqual([]);
});
