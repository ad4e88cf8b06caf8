import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * What a running host leaves for commands on the same machine: its address, and its development key if the operator
 * set no key. This file imports no other file of the store, so that a small command can read both without loading it.
 */

export const DEVELOPMENT_KEY_FILE = 'dev-key';
const ADDRESS_FILE = 'host.address';

export interface LeftByHost {
  /** The address of the host that used the folder last. A host that was killed leaves it behind. */
  readonly url: string | undefined;
  readonly developmentKey: string | undefined;
}

export function leftByHost(folder: string): LeftByHost {
  return {
    url: textIn(join(folder, ADDRESS_FILE)),
    developmentKey: textIn(join(folder, DEVELOPMENT_KEY_FILE)),
  };
}

/** Only the process that has the lock of the folder may write the address. */
export function leaveAddress(folder: string, url: string): void {
  writeFileSync(join(folder, ADDRESS_FILE), `${url}\n`, { mode: 0o600 });
}

export function removeAddress(folder: string): void {
  rmSync(join(folder, ADDRESS_FILE), { force: true });
}

function textIn(file: string): string | undefined {
  if (!existsSync(file)) return undefined;
  const text = readFileSync(file, 'utf8').trim();
  return text === '' ? undefined : text;
}
