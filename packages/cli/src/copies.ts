import { resolve } from 'node:path';
import { type StorageLocation, storageAt } from '@baton/server/storage';
import { EXIT, type ExitCode } from './output/exit-codes.ts';
import type { Output } from './output/output.ts';

/** Backup and restore. A backup may be taken while the host runs; no host may use the folder of a restore. */

export async function takeBackup(location: StorageLocation, file: string, out: Output): Promise<ExitCode> {
  const storage = storageAt(location);
  await storage.backup(file);
  out.give({ data: storage.name, file: resolve(file) }, '');
  out.note(`${storage.name} is backed up in ${resolve(file)}.`);
  return EXIT.done;
}

export async function restoreBackup(location: StorageLocation, file: string, out: Output): Promise<ExitCode> {
  const storage = storageAt(location);
  await storage.restore(file);
  out.give({ data: storage.name, file: resolve(file) }, '');
  out.note(`${resolve(file)} is restored to ${storage.name}.`);
  return EXIT.done;
}
