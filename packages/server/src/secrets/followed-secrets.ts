import type { OpenVault, SecretChange } from '@baton/engine';
import type { SecretPlace, SecretReads, SecretRecord } from '@baton/engine/ports';
import type { Logger } from 'pino';
import { openSecret } from './secret-envelope.ts';
import { storedPages } from './stored-pages.ts';
import type { KeptWrappingKeys } from './wrapping-keys.ts';

/** Keeps the vaults of both threads equal to the stored secrets. */
interface FollowedSecrets {
  /** Changes the vaults of both threads. */
  tell(change: SecretChange): void;
  /** Reads one stored secret. Returns it as it is stored. */
  follow(place: SecretPlace): Promise<SecretRecord | undefined>;
  /** Reads all stored secrets that have changed since they were last read. */
  followAll(): Promise<void>;
  /** Whether the secret is stored, and no key of this host opens it. */
  isUnreadable(place: SecretPlace): boolean;
}

export interface FollowedSecretsOptions {
  readonly kept: KeptWrappingKeys;
  readonly reads: SecretReads;
  readonly engine: { tellSecret(change: SecretChange): void };
  readonly vault: Pick<OpenVault, 'change'>;
  readonly log: Pick<Logger, 'warn' | 'error'>;
}

export function followedSecrets({
  kept,
  reads,
  engine,
  vault,
  log,
}: FollowedSecretsOptions): FollowedSecrets {
  /** The stored forms that the vaults agree with, by tenant and name. */
  const followed = new Map<string, SecretRecord>();
  const unreadable = new Set<string>();

  function tell(change: SecretChange): void {
    vault.change(change);
    engine.tellSecret(change);
  }

  async function agree(place: SecretPlace, record: SecretRecord | undefined): Promise<void> {
    const { tenant, name } = place;
    const at = textOf(place);
    if (followed.get(at)?.jwe === record?.jwe) return;
    const keys = record && (await kept.read());
    const value = record && keys && (await openSecret(keys, record));
    if (record === undefined) followed.delete(at);
    else followed.set(at, record);
    if (record !== undefined && value === undefined) {
      unreadable.add(at);
      log.warn({ tenant, name }, 'a stored secret cannot be opened with the keys of this host; set it again');
    } else unreadable.delete(at);
    tell(value === undefined ? { kind: 'drop', tenant, id: name } : { kind: 'set', tenant, id: name, value });
  }

  return {
    tell,
    async follow(place) {
      const record = await reads.secret(place.tenant, place.name);
      await agree(place, record);
      return record;
    },
    async followAll() {
      const gone = new Map(followed);
      for await (const page of storedPages(reads)) {
        for (const record of page) {
          gone.delete(textOf(record));
          await agree(record, record);
        }
      }
      for (const place of gone.values()) await agree(place, undefined);
    },
    isUnreadable: (place) => unreadable.has(textOf(place)),
  };
}

function textOf({ tenant, name }: SecretPlace): string {
  return JSON.stringify([tenant, name]);
}
