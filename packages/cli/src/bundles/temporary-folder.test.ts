import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from './temporary-folder.ts';

/** The id of a process that has ended. */
function endedPid(): number {
  return spawnSync(process.execPath, ['-e', '']).pid;
}

it('removes what a killed process has left, and nothing else', () => {
  const parent = mkdtempSync(join(tmpdir(), 'baton-temporary-'));
  onTestFinished(() => rmSync(parent, { recursive: true }));
  const names = [`baton-open-${endedPid()}-aB`, `baton-open-${process.pid}-cD`, 'baton-open-x', 'other'];
  for (const name of names) {
    mkdirSync(join(parent, name));
    writeFileSync(join(parent, name, 'baton.db'), '');
  }
  const folder = temporaryFolder(parent);
  expect(folder).toContain(`baton-open-${process.pid}-`);
  expect(names.map((name) => existsSync(join(parent, name)))).toEqual([false, true, true, true]);
});

it('is removed when the process ends, and also at a signal before a host listens', () => {
  const parent = mkdtempSync(join(tmpdir(), 'baton-temporary-'));
  onTestFinished(() => rmSync(parent, { recursive: true }));
  const file = new URL('../../dist/bundles/temporary-folder.js', import.meta.url).href;
  const ending = (end: string) =>
    spawnSync(process.execPath, [
      '--input-type=module',
      '-e',
      `const { temporaryFolder } = await import(${JSON.stringify(file)});
       console.log(temporaryFolder(${JSON.stringify(parent)}));
       ${end}`,
    ]);
  for (const [end, status] of [
    ['', 0],
    ['process.exit(7);', 7],
    ["setInterval(() => {}, 1000); process.kill(process.pid, 'SIGINT');", 130],
    ["setInterval(() => {}, 1000); process.kill(process.pid, 'SIGTERM');", 143],
  ] as const) {
    const { status: code, stdout } = ending(end);
    const folder = String(stdout).trim();
    expect([code, folder.startsWith(parent), existsSync(folder)]).toEqual([status, true, false]);
  }
});
