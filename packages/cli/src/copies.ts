import { resolve } from 'node:path';
import { backup, restore } from '@baton/store-sqlite';
import type { Terminal } from './terminal.ts';

/** Backup and restore. A backup may be taken while the host runs; no host may use the folder of a restore. */

export async function takeBackup(folder: string, file: string, terminal: Terminal): Promise<void> {
  await backup(folder, file);
  terminal.note(`${resolve(folder)} is backed up in ${resolve(file)}.`);
}

export async function restoreBackup(folder: string, file: string, terminal: Terminal): Promise<void> {
  await restore(file, folder);
  terminal.note(`${resolve(file)} is restored to ${resolve(folder)}.`);
}
