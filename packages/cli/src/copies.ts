import { resolve } from 'node:path';
import { type StorageLocation, storageAt } from '@baton/server/storage';
import type { Terminal } from './terminal.ts';

/** Backup and restore. A backup may be taken while the host runs; no host may use the folder of a restore. */

export async function takeBackup(location: StorageLocation, file: string, terminal: Terminal): Promise<void> {
  const storage = storageAt(location);
  await storage.backup(file);
  terminal.note(`${storage.name} is backed up in ${resolve(file)}.`);
}

export async function restoreBackup(
  location: StorageLocation,
  file: string,
  terminal: Terminal,
): Promise<void> {
  const storage = storageAt(location);
  await storage.restore(file);
  terminal.note(`${resolve(file)} is restored to ${storage.name}.`);
}
