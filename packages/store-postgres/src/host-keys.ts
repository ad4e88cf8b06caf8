import type { Database } from './database/database.ts';

/** The keys of the hosts of a database. All of them have the same keys. */

export type KeyName = 'audit' | 'sealing' | 'token' | 'secrets' | 'development';

export interface StoredKey {
  readonly text: string;
  /** Names the place of the key in messages. */
  readonly where: string;
}

interface HostKeys {
  readKey(name: KeyName): Promise<StoredKey | undefined>;
  /** The stored key. A key that is missing, or not usable, is made and stored. */
  keepKey(name: KeyName, make: () => string, isUsable?: (text: string) => boolean): Promise<StoredKey>;
  replaceKey(name: KeyName, text: string): Promise<void>;
}

export function hostKeys(database: Database): HostKeys {
  async function readKey(name: KeyName): Promise<StoredKey | undefined> {
    const row = await database.row<{ text: string }>('SELECT text FROM host_keys WHERE name = $1', name);
    return row && { text: row.text, where: placeOf(name) };
  }

  async function replaceKey(name: KeyName, text: string): Promise<void> {
    await database.run(PUT, name, text.trim());
  }

  return {
    readKey,
    replaceKey,
    async keepKey(name, make, isUsable = () => true) {
      const kept = await readKey(name);
      if (kept !== undefined && isUsable(kept.text)) return kept;
      // Of two hosts that start at the same time, both take the key of the one that was first.
      if (kept === undefined) await database.run(ADD, name, make().trim());
      else await replaceKey(name, make());
      return (await readKey(name)) ?? { text: '', where: placeOf(name) };
    },
  };
}

function placeOf(name: KeyName): string {
  return `the key "${name}" in the table host_keys`;
}

const ADD = 'INSERT INTO host_keys (name, text) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING';
const PUT = `
  INSERT INTO host_keys (name, text) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET text = excluded.text`;
