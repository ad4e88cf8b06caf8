import { randomBytes } from 'node:crypto';
import { isJsonObject } from '@baton/protocol';
import type { StoredKey, StoredKeys } from '../storage/open-storage.ts';

/**
 * The keys that encrypt the stored secrets of tenants, by key id. The newest encrypts; the others only open
 * what they have encrypted, until a rotation has replaced it. They are stored beside the database, as
 * `{"newest": "<id>", "keys": {"<id>": "<32 bytes in base64url>"}}`.
 */
export interface WrappingKeys {
  readonly newest: string;
  readonly keys: ReadonlyMap<string, Uint8Array>;
}

const KEY_BYTES = 32;

/** The place where the keys are stored. */
export interface KeptWrappingKeys {
  /** `undefined` when no secret has been stored yet. */
  read(): Promise<WrappingKeys | undefined>;
  /** The stored keys. The first key is made when there is none. */
  readOrMake(): Promise<WrappingKeys>;
  write(keys: WrappingKeys): Promise<void>;
  /** Does the work while no other host of the data writes with these keys, or writes them. */
  alone<T>(work: () => Promise<T>): Promise<T>;
}

export function keptWrappingKeys(storage: StoredKeys): KeptWrappingKeys {
  return {
    async read() {
      const stored = await storage.readKey('secrets');
      return stored && parsed(stored);
    },
    readOrMake: async () =>
      parsed(await storage.keepKey('secrets', () => textOf(withNewKey({ newest: '', keys: new Map() })))),
    write: (keys) => storage.replaceKey('secrets', textOf(keys)),
    alone: storage.alone,
  };
}

export function withNewKey({ keys }: WrappingKeys): WrappingKeys {
  const newest = randomBytes(8).toString('hex');
  return { newest, keys: new Map([...keys, [newest, new Uint8Array(randomBytes(KEY_BYTES))]]) };
}

function textOf({ newest, keys }: WrappingKeys): string {
  const texts = [...keys].map(([id, key]) => [id, Buffer.from(key).toString('base64url')]);
  return JSON.stringify({ newest, keys: Object.fromEntries(texts) });
}

function parsed({ text, where }: StoredKey): WrappingKeys {
  const damaged = new Error(`${where} does not hold the keys of stored secrets; restore it`);
  let stored: unknown;
  try {
    stored = JSON.parse(text);
  } catch {
    // The message of the parser would repeat parts of the file.
    throw damaged;
  }
  if (!isJsonObject(stored) || !isJsonObject(stored.keys) || typeof stored.newest !== 'string') throw damaged;
  const keys = new Map<string, Uint8Array>();
  for (const [id, key] of Object.entries(stored.keys)) {
    const bytes = typeof key === 'string' ? new Uint8Array(Buffer.from(key, 'base64url')) : undefined;
    if (bytes?.length !== KEY_BYTES) throw damaged;
    keys.set(id, bytes);
  }
  if (!keys.has(stored.newest)) throw damaged;
  return { newest: stored.newest, keys };
}
