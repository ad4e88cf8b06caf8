import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { WorkInHand } from '@baton/engine/ports';

/**
 * Tells the next process which stored tree this process was working on. The file is written before the work
 * begins. It is not synced to the disk: the system keeps the written bytes of a process that dies. A power
 * cut may lose them, but then no tree has caused the end of the process.
 */

const SIZE = 256;
const BLANK = Buffer.alloc(SIZE, ' ');

function fileIn(dataFolder: string): string {
  return join(dataFolder, 'in-hand');
}

/** The tree that the previous process was working on when it ended unexpectedly. */
export function treeInHand(dataFolder: string): string | undefined {
  try {
    const rootId = readFileSync(fileIn(dataFolder), 'utf8').slice(0, SIZE).trim();
    return rootId === '' ? undefined : rootId;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Begins with an empty file. Work without a stored tree is not noted, because a crash undoes it. */
export function inHandFile(dataFolder: string): WorkInHand & { close(): void } {
  const file = openSync(fileIn(dataFolder), 'w', 0o600);
  const line = Buffer.alloc(SIZE, ' ');
  let named = '';

  function name(rootId: string): void {
    if (rootId === named) return;
    named = rootId;
    BLANK.copy(line);
    line.write(rootId, 0, SIZE, 'utf8');
    writeSync(file, line, 0, SIZE, 0);
  }

  writeSync(file, BLANK, 0, SIZE, 0);
  return {
    take: ({ rootId = '' }) => name(rootId),
    putDown: () => name(''),
    close: () => closeSync(file),
  };
}
