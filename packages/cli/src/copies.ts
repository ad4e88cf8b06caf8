import { resolve } from 'node:path';
import { backup, restore } from '@baton/store-sqlite';
import type { Terminal } from './terminal.ts';

/** Copies of everything a host has stored. A backup may be taken while the host runs; a restore may not. */

export async function takeBackup(folder: string, file: string, terminal: Terminal): Promise<void> {
  await backup(folder, file);
  terminal.note(`${resolve(folder)} is backed up in ${resolve(file)}.`);
}

export async function restoreBackup(folder: string, file: string, terminal: Terminal): Promise<void> {
  await restore(file, folder);
  terminal.note(`${resolve(file)} is restored to ${resolve(folder)}.`);
}
