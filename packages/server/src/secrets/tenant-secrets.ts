import type { Caller, Command, Engine, OpenVault, SecretChange } from '@baton/engine';
import type {
  ChangeFeed,
  RewrappedSecret,
  SecretPlace,
  SecretReads,
  SecretRecord,
  TaskPushReads,
  WebhookReads,
} from '@baton/engine/ports';
import { BatonError, type SecretEntry } from '@baton/protocol';
import type { Logger } from 'pino';
import { rewrappedPushes, storedCredentials } from '../a2a/push/stored-credentials.ts';
import { refusal } from '../http/errors.ts';
import { oneAtATime } from './one-at-a-time.ts';
import { keyIdOf, openSecret, wrapSecret } from './secret-envelope.ts';
import { problemWithSecret } from './secret-rules.ts';
import { storedPages } from './told.ts';
import { type KeptWrappingKeys, type WrappingKeys, withNewKey } from './wrapping-keys.ts';

/** The secrets that tenants set while the host runs. Their values are in the vault and, encrypted, in the store. */
export interface TenantSecrets {
  list(tenant: string): Promise<readonly SecretEntry[]>;
  /** When this resolves, the value is stored, can be used, and is redacted in both threads. */
  put(caller: Caller, name: string, value: string): Promise<SecretEntry>;
  delete(caller: Caller, name: string): Promise<void>;
  rotate(): ReturnType<typeof rotateSecrets>;
  /** Encrypts a value that is stored elsewhere. No rotation happens before `store` resolves. */
  wrap<T>(place: SecretPlace, value: string, store: (jwe: string) => Promise<T>): Promise<T>;
  /** Opens such a value. `undefined` when no key of this host opens it. */
  open(record: Omit<SecretRecord, 'updatedAt'>): Promise<string | undefined>;
}

interface TenantSecretsOptions extends FollowedSecretsOptions {
  readonly engine: FollowedSecretsOptions['engine'] & Pick<Engine, 'execute'> & ChangeFeed;
  readonly reads: FollowedSecretsOptions['reads'] &
    Pick<WebhookReads, 'everyWebhookKey'> &
    Pick<TaskPushReads, 'everyTaskPush'>;
  readonly vault: OpenVault;
}

/** Reads the stored secrets into the vault, and keeps the vault up to date, also with what other hosts store. */
export async function openTenantSecrets(options: TenantSecretsOptions): Promise<TenantSecrets> {
  const { kept, reads, engine, vault, log } = options;
  const { tell, follow, followAll, isUnreadable } = followedSecrets(options);
  /** Writes wait for each other: a rotation removes keys, and must not miss a secret that is being stored. */
  const inTurn = oneAtATime();
  /** The same for the writes of all hosts that share the keys. */
  const alone = <T>(work: () => Promise<T>) => inTurn(() => kept.alone(work));

  async function execute(command: Command): Promise<void> {
    const outcome = await engine.execute(command);
    if (!outcome.ok) throw refusal(outcome.error);
  }

  const report = (problem: unknown) => log.error({ err: problem }, 'a change of secrets could not be read');
  engine.changes((change) => {
    if (change.kind === 'secret') inTurn(() => follow(change)).catch(report);
    if (change.kind === 'missed') inTurn(followAll).catch(report);
  });
  // Also where there is no secret: damaged keys have to be noticed before the next secret is stored with them.
  await kept.read();
  await inTurn(followAll);

  const entryOf = (record: SecretRecord): SecretEntry => ({
    name: record.name,
    updatedAt: new Date(record.updatedAt).toISOString(),
    ...(isUnreadable(record) && { unreadable: true }),
  });

  return {
    list: async (tenant) => (await reads.secrets(tenant)).map(entryOf),
    put: (caller, name, value) =>
      alone(async () => {
        const place = { tenant: caller.tenant, name };
        refuseSecretName(vault, place);
        refuseUnfit(await reads.secrets(caller.tenant), place, value);
        const jwe = await wrapSecret(await kept.readOrMake(), place, value);
        // Redacted before it can be used, so that nothing that is made with it is recorded as it is.
        tell({ kind: 'learn', tenant: caller.tenant, id: name, value });
        await execute({ kind: 'put-secret', caller, name, jwe });
        const stored = await follow(place);
        if (stored === undefined) throw new BatonError('not_found', 'The secret was deleted meanwhile.');
        return entryOf(stored);
      }),
    delete: (caller, name) =>
      inTurn(async () => {
        await execute({ kind: 'delete-secret', caller, name });
        await follow({ tenant: caller.tenant, name });
      }),
    rotate: () =>
      alone(() =>
        rotateSecrets({
          kept,
          stored: [
            {
              everySecret: reads.everySecret,
              rewrap: (secrets) => execute({ kind: 'rewrap-secrets', secrets }),
            },
            {
              everySecret: reads.everyWebhookKey,
              rewrap: (keys) => execute({ kind: 'write-webhooks', write: { do: 'rewrap-keys', keys } }),
            },
            {
              ...storedCredentials(reads),
              rewrap: (secrets) =>
                execute({
                  kind: 'write-task-pushes',
                  write: { do: 'rewrap', pushes: rewrappedPushes(secrets) },
                }),
            },
          ],
        }),
      ),
    wrap: (place, value, store) =>
      alone(async () => store(await wrapSecret(await kept.readOrMake(), place, value))),
    async open(record) {
      const keys = await kept.read();
      return keys && openSecret(keys, record);
    },
  };
}

/** The name of a secret is stored and shown as it is, so it cannot be redacted. */
function refuseSecretName({ redactor }: Pick<OpenVault, 'redactor'>, { tenant, name }: SecretPlace): void {
  if ((redactor(tenant)?.redactText(name) ?? name) === name) return;
  throw new BatonError('validation_error', 'The name holds the value of a secret; choose another.', {
    field: 'name',
  });
}

function refuseUnfit(known: readonly SecretPlace[], { tenant, name }: SecretPlace, value: string): void {
  const problem =
    problemWithSecret(tenant, name, value) ??
    (known.some((other) => other.name.includes(value)) ? 'is a part of the name of a secret' : undefined) ??
    (value !== value.trim() ? 'begins or ends with white space' : undefined);
  if (problem === undefined) return;
  throw new BatonError('validation_error', `The value ${problem}.`, { field: 'value' });
}

interface FollowedSecretsOptions {
  readonly kept: KeptWrappingKeys;
  readonly reads: SecretReads;
  readonly engine: { tellSecret(change: SecretChange): void };
  readonly vault: Pick<OpenVault, 'change'>;
  readonly log: Pick<Logger, 'warn' | 'error'>;
}

/** Keeps the vaults of both threads equal to the stored secrets. */
function followedSecrets({ kept, reads, engine, vault, log }: FollowedSecretsOptions) {
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
    /** Changes the vaults of both threads. */
    tell,
    /** Reads one stored secret. Returns it as it is stored. */
    async follow(place: SecretPlace): Promise<SecretRecord | undefined> {
      const record = await reads.secret(place.tenant, place.name);
      await agree(place, record);
      return record;
    },
    /** Reads all stored secrets that have changed since they were last read. */
    async followAll(): Promise<void> {
      const gone = new Map(followed);
      for await (const page of storedPages(reads)) {
        for (const record of page) {
          gone.delete(textOf(record));
          await agree(record, record);
        }
      }
      for (const place of gone.values()) await agree(place, undefined);
    },
    /** Whether the secret is stored, and no key of this host opens it. */
    isUnreadable: (place: SecretPlace) => unreadable.has(textOf(place)),
  };
}

function textOf({ tenant, name }: SecretPlace): string {
  return JSON.stringify([tenant, name]);
}

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
