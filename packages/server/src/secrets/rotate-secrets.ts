import type { RewrappedSecret, SecretReads, SecretRecord } from '@baton/engine/ports';
import { keyIdOf, openSecret, wrapSecret } from './secret-envelope.ts';
import { storedPages } from './stored-pages.ts';
import { type KeptWrappingKeys, type WrappingKeys, withNewKey } from './wrapping-keys.ts';

interface Rotation {
  readonly keyId: string;
  /** How many secrets the new key protects. */
  readonly secrets: number;
  /** How many secrets could not be opened. They stay as they are. */
  readonly unreadable: number;
}

interface RotationParts {
  readonly kept: KeptWrappingKeys;
  readonly stored: readonly StoredSecrets[];
}

/** A place where encrypted values are stored. */
interface StoredSecrets extends Pick<SecretReads, 'everySecret'> {
  /** Stores new encryptions. They are durable when this resolves. */
  readonly rewrap: (secrets: readonly RewrappedSecret[]) => Promise<void>;
}

/**
 * Encrypts every secret with a new key. No other secret may be written meanwhile. It may end at any point, by a
 * crash too:
 * 1. The new key is stored beside the others. Every secret can still be opened.
 * 2. The secrets are encrypted again, a page at a time. Each is opened with the key that its header names.
 * 3. The keys that no stored secret names are removed.
 * A rotation that ended early leaves more keys than necessary, and the next one removes them.
 */
export async function rotateSecrets({ kept, stored }: RotationParts): Promise<Rotation> {
  const keys = withNewKey(await kept.readOrMake());
  await kept.write(keys);
  for (const place of stored) {
    for await (const page of storedPages(place)) {
      const changed = await rewrapped(keys, page);
      if (changed.length > 0) await place.rewrap(changed);
    }
  }
  const needed = new Map<string, number>();
  let unreadable = 0;
  for (const place of stored) {
    for await (const page of storedPages(place)) {
      for (const record of page) {
        const id = (await keyIdOf(record.jwe)) ?? '';
        needed.set(id, (needed.get(id) ?? 0) + 1);
        if (id !== keys.newest) unreadable += 1;
      }
    }
  }
  const isNeeded = (id: string) => id === keys.newest || needed.has(id);
  await kept.write({ ...keys, keys: new Map([...keys.keys].filter(([id]) => isNeeded(id))) });
  return { keyId: keys.newest, secrets: needed.get(keys.newest) ?? 0, unreadable };
}

async function rewrapped(
  keys: WrappingKeys,
  records: readonly SecretRecord[],
): Promise<readonly RewrappedSecret[]> {
  const changed: RewrappedSecret[] = [];
  for (const record of records) {
    const value = await openSecret(keys, record);
    if (value === undefined) continue;
    const { tenant, name, jwe } = record;
    changed.push({ tenant, name, from: jwe, to: await wrapSecret(keys, record, value) });
  }
  return changed;
}
