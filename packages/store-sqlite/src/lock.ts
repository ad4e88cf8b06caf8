import { createDataFolder, createPrivateFile, lockFile, requireWritable } from './data-folder.ts';
import { openNative } from './database/native.ts';
import { explainingFaults } from './storage-fault.ts';

interface DataFolderLock {
  release(): void;
}

export class FolderInUseError extends Error {
  constructor(folder: string, cause: unknown) {
    super(
      `another Baton is using the data folder ${folder}: stop it first, or give this one a folder of its own`,
      { cause },
    );
    this.name = 'FolderInUseError';
  }
}

/**
 * Makes this process the only host of the folder. An open transaction on a separate file holds a lock of the
 * operating system. The operating system releases the lock when the process ends, also after a crash.
 */
export function lockDataFolder(folder: string): DataFolderLock {
  return explainingFaults(lockFile(folder), () => lock(folder));
}

function lock(folder: string): DataFolderLock {
  createDataFolder(folder);
  createPrivateFile(lockFile(folder));
  requireWritable(lockFile(folder));
  const native = openNative(lockFile(folder), { timeout: 0 });
  try {
    native.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    native.close();
    const busy = error instanceof Error && 'code' in error && error.code === 'SQLITE_BUSY';
    throw busy ? new FolderInUseError(folder, error) : error;
  }
  return {
    release: () => {
      native.close();
    },
  };
}
