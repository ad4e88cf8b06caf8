import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { lockFile } from './data-folder.ts';
import { FolderInUseError, lockDataFolder } from './lock.ts';

describe('lockDataFolder', () => {
  it('refuses a second holder, names the folder and says what to do', () => {
    const folder = temporaryFolder();
    const lock = lockDataFolder(folder);
    expect(() => lockDataFolder(folder)).toThrow(FolderInUseError);
    expect(() => lockDataFolder(folder)).toThrow(`data folder ${folder}: stop it first`);
    lock.release();
  });

  it('can be taken again when it was released', () => {
    const folder = temporaryFolder();
    lockDataFolder(folder).release();
    expect(() => lockDataFolder(folder).release()).not.toThrow();
  });

  it('locks one folder and not another', () => {
    const lock = lockDataFolder(temporaryFolder());
    expect(() => lockDataFolder(temporaryFolder()).release()).not.toThrow();
    lock.release();
  });

  it('is held against other processes, and ends with a process that is killed', async () => {
    const folder = temporaryFolder();
    lockDataFolder(folder).release();
    const holder = spawn(process.execPath, ['-e', HOLD, lockFile(folder)], {
      cwd: import.meta.dirname,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => {
      holder.kill('SIGKILL');
    });
    await once(holder.stdout, 'data');
    expect(() => lockDataFolder(folder)).toThrow(FolderInUseError);
    holder.kill('SIGKILL');
    await once(holder, 'exit');
    expect(() => lockDataFolder(folder).release()).not.toThrow();
  });
});

/** A process that takes the lock as another host would. */
const HOLD = `
  const native = require('better-sqlite3')(process.argv[1]);
  native.exec('BEGIN EXCLUSIVE');
  console.log('held');
  setInterval(() => native.inTransaction, 1000);
`;
