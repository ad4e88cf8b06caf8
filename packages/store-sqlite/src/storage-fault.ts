import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { StorageFullError } from '@baton/engine/ports';

/** The store cannot be opened. The message tells the operator what to do. */
export class StorageFault extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'StorageFault';
  }
}

export function requireFolder(folder: string): void {
  if (!existsSync(folder)) throw new StorageFault(`There is no data folder ${folder}; ${OTHER_FOLDER}.`);
}

/** Calls `open`. An error that an operator can repair becomes a `StorageFault` with advice. */
export function explainingFaults<T>(file: string, open: () => T): T {
  try {
    return open();
  } catch (error) {
    const advice = adviceOn(error, file);
    throw advice === undefined ? error : new StorageFault(advice, error);
  }
}

/**
 * SQLite appends details to its codes, for example `SQLITE_READONLY_DIRECTORY` and `SQLITE_CORRUPT_INDEX`.
 */
const SQLITE = /^(SQLITE_[A-Z]+)/;

function adviceOn(error: unknown, file: string): string | undefined {
  const { code, path = file } = error as { readonly code?: unknown; readonly path?: string };
  const folder = dirname(file);
  if (error instanceof StorageFullError) return full(folder);
  if (typeof code !== 'string') return undefined;
  switch (SQLITE.exec(code)?.[1] ?? code) {
    case 'SQLITE_NOTADB':
      return `${file} is not a database, or its beginning was overwritten. ${RESTORE}`;
    case 'SQLITE_CORRUPT':
      return `${file} is damaged, or was cut short. ${RESTORE}`;
    case 'SQLITE_READONLY':
    case 'SQLITE_PERM':
    case 'SQLITE_AUTH':
    case 'SQLITE_CANTOPEN':
      return existsSync(file) ? unusable(file) : `There is no Baton database in ${folder}; ${OTHER_FOLDER}.`;
    case 'EACCES':
    case 'EPERM':
      return unusable(path);
    case 'EROFS':
      return `${path} is on a file system that can only be read: mount it for writing, or ${OTHER_FOLDER}.`;
    case 'EEXIST':
    case 'ENOTDIR':
      return `The data folder ${folder} cannot be made, because a part of its path is a file: ${OTHER_FOLDER}.`;
    case 'SQLITE_FULL':
    case 'ENOSPC':
    case 'EDQUOT':
      return full(folder);
    case 'SQLITE_IOERR':
      return (
        `The disk that holds ${folder} failed (${code}): look into the log of the system, and at the disk. ` +
        'If the folder is on a network drive, move it to a local disk.'
      );
    default:
      return undefined;
  }
}

const RESTORE =
  'Move it out of the folder together with the files beside it that end in -wal and -shm, then put a backup in its ' +
  'place with: baton restore <backup> --data <folder>. Keep what you moved until the host works again.';

const OTHER_FOLDER = 'name another folder with --data or BATON_DATA';

function unusable(path: string): string {
  return (
    `This user may not read and write ${path}, or the folder that it is in: ` +
    `change its owner or its mode (chown, chmod), or ${OTHER_FOLDER}.`
  );
}

function full(folder: string): string {
  return `The disk that holds ${folder} is full. Make room and try again; nothing that was stored is lost.`;
}
