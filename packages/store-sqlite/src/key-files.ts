import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createDataFolder } from './data-folder.ts';
import { DEVELOPMENT_KEY_FILE } from './left-by-host.ts';
import { explainingFaults } from './storage-fault.ts';

/** The keys of a host. Each is a file beside the database, so that a copy of the database does not hold it. */

const FILES = {
  audit: 'audit.key',
  sealing: 'sealing.key',
  token: 'token.key',
  secrets: 'secrets.key',
  development: DEVELOPMENT_KEY_FILE,
} as const;

export type KeyName = keyof typeof FILES;

export interface StoredKey {
  readonly text: string;
  /** Names the place of the key in messages. */
  readonly where: string;
}

function fileOf(folder: string, name: KeyName): string {
  return join(folder, FILES[name]);
}

export function readKey(folder: string, name: KeyName): StoredKey | undefined {
  const where = fileOf(folder, name);
  return explainingFaults(where, () =>
    existsSync(where) ? { text: readFileSync(where, 'utf8').trim(), where } : undefined,
  );
}

export interface NamedKey {
  readonly name: KeyName;
  readonly text: string;
}

/** All keys that the folder holds. */
export function keysIn(folder: string): readonly NamedKey[] {
  return (Object.keys(FILES) as KeyName[]).flatMap((name) => {
    const key = readKey(folder, name);
    return key === undefined ? [] : [{ name, text: key.text }];
  });
}

/** The stored key. A key that is missing, or not usable, is made and stored. */
export function keepKey(
  folder: string,
  name: KeyName,
  make: () => string,
  isUsable: (text: string) => boolean = () => true,
): StoredKey {
  const kept = readKey(folder, name);
  if (kept !== undefined && isUsable(kept.text)) return kept;
  const where = fileOf(folder, name);
  const text = make().trim();
  explainingFaults(where, () => {
    createDataFolder(folder);
    writeWhole(where, `${text}\n`);
  });
  return { text, where };
}

/** Stores a key in place of the one that is there. */
export function replaceKey(folder: string, name: KeyName, text: string): void {
  const where = fileOf(folder, name);
  explainingFaults(where, () => writeWhole(where, `${text}\n`));
}

/**
 * Written to another file, synced and renamed: neither a crash nor a power cut leaves an incomplete key. Data
 * that a key has sealed must not outlive the key.
 */
export function writeWhole(file: string, text: string): void {
  const draft = `${file}.${randomBytes(4).toString('hex')}`;
  const descriptor = openSync(draft, 'wx', 0o600);
  try {
    writeSync(descriptor, text);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(draft, file);
  syncFolder(dirname(file));
}

/** Otherwise a power cut could undo the renaming. Windows has no such call for a folder. */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * The files of keys that are made only after the database. The development key is not one of them: it may be
 * there before.
 */
export function keysOfUsedFolder(folder: string): readonly string[] {
  const names: readonly KeyName[] = ['audit', 'sealing', 'token', 'secrets'];
  return names.map((name) => fileOf(folder, name)).filter((file) => existsSync(file));
}
