import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * The data folders of opened bundles. The name of a folder holds the id of the process that made it, so that the next
 * process can remove what a killed one has left.
 */

const NAME = /^baton-open-(\d+)-/;

/** Makes a folder that is removed when this process ends, however it ends, unless it is killed. */
export function temporaryFolder(parent: string = tmpdir()): string {
  removeLeft(parent);
  const folder = mkdtempSync(join(parent, `baton-open-${process.pid}-`));
  process.once('exit', () => remove(folder));
  for (const [signal, exit] of SIGNALS) {
    // A host stops by itself. Before there is one, a signal would end the process without its "exit".
    process.on(signal, () => process.listenerCount(signal) === 1 && process.exit(exit));
  }
  return folder;
}

const SIGNALS = [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const;

function removeLeft(parent: string): void {
  for (const name of readdirSync(parent)) {
    const pid = Number(NAME.exec(name)?.[1]);
    if (pid > 0 && !isRunning(pid)) remove(join(parent, name));
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of another user may not be asked, but is there.
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}

function remove(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // It belongs to another user, who will remove it.
  }
}
