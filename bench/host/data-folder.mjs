import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Folders for the databases of one benchmark, removed when it ends. They are inside the project, because the
 * temporary folder of the system is in memory on many machines, where a sync costs no time.
 */
const PARENT = fileURLToPath(new URL('../../.cache/bench/', import.meta.url));
const made = new Set();

export function makeDataFolder() {
  mkdirSync(PARENT, { recursive: true });
  const folder = mkdtempSync(join(PARENT, 'data-'));
  made.add(folder);
  return folder;
}

export function removeDataFolder(folder) {
  rmSync(folder, { recursive: true, force: true });
  made.delete(folder);
}

process.on('exit', () => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});
