import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

/** For a data folder that it cannot use, `baton` prints one line and exits with 1. */

const BATON = fileURLToPath(new URL('../bin/baton.js', import.meta.url));
/** The superuser may read and write every file, so the command runs as another user if possible. */
const IS_ROOT = process.getuid?.() === 0;
const NOBODY = 65_534;
const AS_SOMEBODY = IS_ROOT ? { uid: NOBODY, gid: NOBODY } : {};

let base: string;
let data: string;
let number = 0;
const database = () => join(data, 'baton.db');

beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'baton-faults-'));
  chmodSync(base, 0o755);
});
afterAll(() => rmSync(base, { recursive: true, force: true }));
beforeEach(() => {
  number += 1;
  data = join(base, String(number), 'data');
  mkdirSync(data, { recursive: true });
  own();
});

/** Gives all files to the user that the command runs as. */
function own(): void {
  if (!IS_ROOT) return;
  chownSync(data, NOBODY, NOBODY);
  for (const name of readdirSync(data)) chownSync(join(data, name), NOBODY, NOBODY);
}

function baton(...args: string[]) {
  const { status, stderr, stdout } = spawnSync(process.execPath, [BATON, ...args, '--data', data], {
    ...AS_SOMEBODY,
    cwd: join(base, String(number)),
    env: { PATH: process.env.PATH, BATON_PORT: '0', BATON_API_KEY: 'a-key-for-storage-faults' },
    encoding: 'utf8',
    // If the host starts by mistake, the test fails instead of waiting for ever.
    timeout: 30_000,
  });
  return { status, stderr, stdout };
}

function makeDatabase(): void {
  expect(baton('keys', 'create', '--tenant', 't', '--principal', 'p', '--role', 'viewer').status).toBe(0);
}

function makeKeys(): void {
  for (const name of ['audit.key', 'sealing.key', 'token.key']) writeFileSync(join(data, name), 'a key');
  own();
}

function expectAdvice(advice: RegExp, ...args: string[]): void {
  const { status, stderr, stdout } = baton(...args);
  expect(stderr).toMatch(/^Error: [^\n]+\n$/);
  expect(stderr).toMatch(advice);
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
}

describe('a data folder that cannot be used', () => {
  it.each<[string, () => void, RegExp]>([
    [
      'whose database was cut short',
      () => {
        makeDatabase();
        truncateSync(database(), 3 * 8192);
      },
      /baton\.db is damaged, or was cut short\. Move it.*baton restore/,
    ],
    [
      'whose database lost all but a few bytes',
      () => {
        makeDatabase();
        truncateSync(database(), 60);
      },
      /baton\.db is damaged, or was cut short.*baton restore/,
    ],
    [
      'with another file in the place of the database',
      () => writeFileSync(database(), 'id,name\n1,Ada\n'.repeat(1000)),
      /baton\.db is not a database, or its beginning was overwritten\. Move it/,
    ],
    [
      'with a database of another program',
      () => new Database(database()).exec('CREATE TABLE songs (title TEXT)').close(),
      /baton\.db is not a Baton database but one of another program: name the right folder/,
    ],
    [
      'with a database of a newer version',
      () => {
        makeDatabase();
        new Database(database()).exec('PRAGMA user_version = 999').close();
      },
      /schema version 999.*start the newer Baton/,
    ],
    [
      'that is a file',
      () => {
        rmSync(data, { recursive: true });
        writeFileSync(data, 'a file');
      },
      /data.*is a file.*BATON_DATA/,
    ],
    ['that may not be written', () => chmodSync(data, 0o500), /may not read and write .*data.*BATON_DATA/],
    [
      'that may not be written any more',
      () => {
        makeDatabase();
        chmodSync(data, 0o500);
      },
      /may not read and write .*data.*BATON_DATA/,
    ],
    [
      'whose database may not be written',
      () => {
        makeDatabase();
        chmodSync(database(), 0o400);
      },
      /may not read and write .*baton\.db.*chmod/,
    ],
    [
      'whose database may not be read',
      () => {
        makeDatabase();
        chmodSync(database(), 0o000);
      },
      /may not read and write .*baton\.db.*chmod/,
    ],
    [
      'whose lock may not be written',
      () => {
        writeFileSync(join(data, 'host.lock'), '');
        chmodSync(join(data, 'host.lock'), 0o400);
      },
      /may not read and write .*host\.lock.*chmod/,
    ],
    ['that has lost its database', makeKeys, /baton\.db is missing, but a host.*token\.key.*baton restore/],
    [
      'whose database is an empty file',
      () => {
        makeKeys();
        writeFileSync(database(), '');
      },
      /baton\.db is empty, but a host has worked in this folder/,
    ],
    [
      'whose database holds nothing',
      () => {
        makeKeys();
        new Database(database()).exec('VACUUM').close();
      },
      /baton\.db is empty, but a host has worked in this folder/,
    ],
  ])('%s', (_which, prepare, advice) => {
    prepare();
    if (existsSync(database())) own();
    expectAdvice(advice, 'serve');
  });
});

it('is not given a new database by another command either', () => {
  makeKeys();
  expectAdvice(
    /baton\.db is missing/,
    'keys',
    'create',
    '--tenant',
    't',
    '--principal',
    'p',
    '--role',
    'viewer',
  );
  expect(existsSync(database())).toBe(false);
});

it('is told by commands that only read', () => {
  expectAdvice(/There is no Baton database in .*data; name another folder/, 'keys', 'list');
  makeDatabase();
  truncateSync(database(), 3 * 8192);
  expectAdvice(/damaged, or was cut short/, 'keys', 'list');
});
