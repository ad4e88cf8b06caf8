import { existsSync, statSync } from 'node:fs';
import { databaseFile } from './data-folder.ts';
import { keysOfUsedFolder } from './key-files.ts';
import { StorageFault } from './storage-fault.ts';

/**
 * Refuses a folder that holds the keys of a host, but no database or an empty one. A host creates its keys
 * only after its database, so the database was lost. A new database would hide the loss.
 */
export function refuseLostDatabase(folder: string, found: 'empty' | 'unknown' = 'unknown'): void {
  const file = databaseFile(folder);
  if (found === 'unknown' && sizeOf(file) + sizeOf(`${file}-wal`) > 0) return;
  const left = keysOfUsedFolder(folder);
  if (left.length === 0) return;
  throw new StorageFault(
    `${file} is ${existsSync(file) ? 'empty' : 'missing'}, but a host has worked in this folder before: its keys ` +
      `are there (${left.join(', ')}). Put the database back, or restore a backup with: baton restore <backup> ` +
      '--data <folder>, after moving an empty file away. To begin a new host here instead, move the keys out of ' +
      'the folder and keep them: without them nothing that was sealed or signed before can be opened or checked.',
  );
}

/** Does not open the file: closing it would drop the locks that the process holds on it through SQLite. */
function sizeOf(file: string): number {
  return existsSync(file) ? statSync(file).size : 0;
}
