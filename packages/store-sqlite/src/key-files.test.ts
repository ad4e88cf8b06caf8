import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { keepKey, keysOfUsedFolder, readKey, replaceKey } from './key-files.ts';

it('makes a key once, in a folder that it makes too, and keeps nothing else there', () => {
  const folder = join(temporaryFolder(), 'new');
  const where = join(folder, 'audit.key');
  expect(readKey(folder, 'audit')).toBeUndefined();
  expect(keepKey(folder, 'audit', () => 'first')).toEqual({ text: 'first', where });
  expect(keepKey(folder, 'audit', () => 'second')).toEqual({ text: 'first', where });
  expect(readKey(folder, 'audit')).toEqual({ text: 'first', where });
  expect(readdirSync(folder)).toEqual(['audit.key']);
});

it('never replaces a key, even an empty one, unless its user calls it unusable', () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'sealing.key'), '');
  expect(keepKey(folder, 'sealing', () => 'new').text).toBe('');
  expect(
    keepKey(
      folder,
      'sealing',
      () => 'new',
      (text) => text !== '',
    ).text,
  ).toBe('new');
  expect(readKey(folder, 'sealing')?.text).toBe('new');
});

it('replaces a key as a whole, readable by its owner only', () => {
  const folder = temporaryFolder();
  const { where } = keepKey(folder, 'secrets', () => 'first');
  replaceKey(folder, 'secrets', 'second');
  expect(readKey(folder, 'secrets')?.text).toBe('second');
  expect(statSync(where).mode & 0o077).toBe(0);
  expect(readdirSync(folder)).toEqual(['secrets.key']);
});

it.skipIf(process.platform === 'win32')('lets only the owner read a key', () => {
  const { where } = keepKey(temporaryFolder(), 'token', () => 'secret');
  expect(statSync(where).mode & 0o777).toBe(0o600);
});

it('takes every key for a sign of an earlier host, except the development key', () => {
  const folder = temporaryFolder();
  keepKey(folder, 'development', () => 'k');
  expect(keysOfUsedFolder(folder)).toEqual([]);
  const made = (['audit', 'sealing', 'token', 'secrets'] as const).map(
    (name) => keepKey(folder, name, () => 'k').where,
  );
  expect(keysOfUsedFolder(folder)).toEqual(made);
});
