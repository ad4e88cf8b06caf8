import { resolve } from 'node:path';
import { storageAt } from '@baton/server/storage';
import type { Terminal } from './terminal.ts';

/** Backup and restore. A backup may be taken while the host runs; no host may use the folder of a restore. */

export async function takeBackup(folder: string, file: string, terminal: Terminal): Promise<void> {
  await storageAt({ kind: 'sqlite', folder }).backup(file);
  terminal.note(`${resolve(folder)} is backed up in ${resolve(file)}.`);
}

export async function restoreBackup(folder: string, file: string, terminal: Terminal): Promise<void> {
  await storageAt({ kind: 'sqlite', folder }).restore(file);
  terminal.note(`${resolve(file)} is restored to ${resolve(folder)}.`);
}
