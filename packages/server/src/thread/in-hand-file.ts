import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { WorkInHand } from '@baton/engine/ports';

/**
 * The same for the next process: a small file that names the stored tree which is being worked on, written before the
 * work begins. It is not synced to the disk. The system keeps the bytes of a process that dies, and only a process
 * that died may have been stopped by a tree; a power cut was not.
 */

const SIZE = 256;
const BLANK = Buffer.alloc(SIZE, ' ');

function fileIn(dataFolder: string): string {
  return join(dataFolder, 'in-hand');
}

/** The tree that was being worked on when the process before this one was lost. */
export function treeInHand(dataFolder: string): string | undefined {
  try {
    const rootId = readFileSync(fileIn(dataFolder), 'utf8').slice(0, SIZE).trim();
    return rootId === '' ? undefined : rootId;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Begins with a blank file. Work without a stored tree is not named: a crash leaves nothing of it behind. */
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
