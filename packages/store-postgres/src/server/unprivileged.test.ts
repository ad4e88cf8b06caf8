import { spawn } from 'node:child_process';
import { chownSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import {
  advanced,
  birth,
  childRecord,
  created,
  events,
  record,
  slice,
} from '../../../conformance/src/store-contract/example-slices.ts';
import { binariesOf } from '../../testing/postgres-server.ts';

/**
 * Postgres refuses to run as root, so a server of root gets another user. These tests run as root in some places and as
 * somebody else in others; here, the server is started by a process that is not root in both.
 */

const HOST = fileURLToPath(new URL('../../testing/unprivileged-host.mjs', import.meta.url));
const NOBODY = 65534;
const isRoot = process.getuid?.() === 0;

function foldersOfOwn(): { readonly home: string; readonly tmp: string; readonly server: string } {
  const home = mkdtempSync(join(tmpdir(), 'baton-nobody-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const folders = { home, tmp: join(home, 'tmp'), server: join(home, 'postgres') };
  mkdirSync(folders.tmp);
  if (isRoot) for (const folder of [home, folders.tmp]) chownSync(folder, NOBODY, NOBODY);
  return folders;
}

async function outputOf(given: object, { home, tmp }: { readonly home: string; readonly tmp: string }) {
  const child = spawn(process.execPath, [HOST, JSON.stringify(given)], {
    cwd: home,
    env: { PATH: process.env.PATH, HOME: home, TMPDIR: tmp },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(isRoot && { uid: NOBODY, gid: NOBODY }),
  });
  let output = '';
  let problems = '';
  child.stdout.on('data', (data) => {
    output += data;
  });
  child.stderr.on('data', (data) => {
    problems += data;
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  expect({ code, problems }).toEqual({ code: 0, problems: '' });
  return JSON.parse(output);
}

it('starts a server without being root, and commits and reads slices', async () => {
  const folders = foldersOfOwn();
  const tree = slice('a', [created(record('a'), 2), created(childRecord('a.1', 'a'), 1)], { from: 0 });
  const groups = [
    [tree, birth(record('b'), 1)],
    [slice('a', [advanced('a.1', 1, 2)], { from: 3 }), slice('b', [advanced('b', 0, 1)], { from: 0 })],
  ];
  const given = { binaries: binariesOf(18), folder: folders.server, groups, tenant: 'acme' };
  const { user, results, logs } = await outputOf({ ...given, runIds: ['a', 'a.1', 'b'] }, folders);
  expect(user).not.toBe(0);
  expect(results).toEqual([
    ['committed', 'committed'],
    ['committed', 'conflict'],
  ]);
  expect(logs).toEqual([events('a', 0, 2), events('a.1', 0, 3), events('b', 0, 1)]);
});
