import type { Caller, Command, Engine, OpenVault, SecretChange } from '@baton/engine';
import type { ChangeFeed, SecretPlace, SecretReads, SecretRecord } from '@baton/engine/ports';
import { BatonError, type SecretEntry } from '@baton/protocol';
import type { Logger } from 'pino';
import { refusal } from '../http/errors.ts';
import { oneAtATime } from './one-at-a-time.ts';
import { pagesOf, rotateSecrets } from './rotate-secrets.ts';
import { openSecret, wrapSecret } from './secret-envelope.ts';
import { problemWithSecret } from './secret-rules.ts';
import type { KeptWrappingKeys } from './wrapping-keys.ts';

/** The secrets that tenants set while the host runs. Their values are in the vault and, encrypted, in the store. */
export interface TenantSecrets {
  list(tenant: string): Promise<readonly SecretEntry[]>;
  /** When this resolves, the value is stored, can be used, and is redacted in both threads. */
  put(caller: Caller, name: string, value: string): Promise<SecretEntry>;
  delete(caller: Caller, name: string): Promise<void>;
  rotate(): ReturnType<typeof rotateSecrets>;
}

interface TenantSecretsOptions {
  readonly kept: KeptWrappingKeys;
  readonly reads: SecretReads;
  readonly engine: Pick<Engine, 'execute'> & ChangeFeed & { tellSecret(change: SecretChange): void };
  readonly vault: OpenVault;
  readonly log: Pick<Logger, 'warn' | 'error'>;
}

/** Reads the stored secrets into the vault, and keeps the vault up to date, also with what other hosts store. */
export async function openTenantSecrets(options: TenantSecretsOptions): Promise<TenantSecrets> {
  const { kept, reads, engine, vault, log } = options;
  /** Writes wait for each other: a rotation removes keys, and must not miss a secret that is being stored. */
  const inTurn = oneAtATime();
  /** The stored forms that the vault has followed, by tenant and name. */
  const followed = new Map<string, SecretRecord>();
  const unreadable = new Set<string>();

  function tell(change: SecretChange): void {
    vault.change(change);
    engine.tellSecret(change);
  }

  async function follow(place: SecretPlace, record: SecretRecord | undefined): Promise<void> {
    const { tenant, name } = place;
    const at = placeText(place);
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

  async function followAll(): Promise<void> {
    const gone = new Map(followed);
    for await (const page of pagesOf(reads)) {
      for (const record of page) {
        gone.delete(placeText(record));
        await follow(record, record);
      }
    }
    for (const place of gone.values()) await follow(place, undefined);
  }

  async function execute(command: Command): Promise<void> {
    const outcome = await engine.execute(command);
    if (!outcome.ok) throw refusal(outcome.error);
  }

  const followOne = async (place: SecretPlace) => follow(place, await reads.secret(place.tenant, place.name));
  const report = (problem: unknown) => log.error({ err: problem }, 'a change of secrets could not be read');
  engine.changes((change) => {
    if (change.kind === 'secret') inTurn(() => followOne(change)).catch(report);
    if (change.kind === 'missed') inTurn(followAll).catch(report);
  });
  // Also where there is no secret: damaged keys have to be noticed before the next secret is stored with them.
  await kept.read();
  await inTurn(followAll);

  const entryOf = (record: SecretRecord): SecretEntry => ({
    name: record.name,
    updatedAt: new Date(record.updatedAt).toISOString(),
    ...(unreadable.has(placeText(record)) && { unreadable: true }),
  });

  return {
    list: async (tenant) => (await reads.secrets(tenant)).map(entryOf),
    put: (caller, name, value) =>
      inTurn(async () => {
        const { tenant } = caller;
        refuseUnfit(await reads.secrets(tenant), { tenant, name }, value);
        const jwe = await wrapSecret(await kept.readOrMake(), { tenant, name }, value);
        // Redacted before it can be used, so that nothing that is made with it is recorded as it is.
        tell({ kind: 'learn', tenant, id: name, value });
        await execute({ kind: 'put-secret', caller, name, jwe });
        await followOne({ tenant, name });
        const stored = followed.get(placeText({ tenant, name }));
        if (stored === undefined) throw new BatonError('not_found', 'The secret was deleted meanwhile.');
        return entryOf(stored);
      }),
    delete: (caller, name) =>
      inTurn(async () => {
        await execute({ kind: 'delete-secret', caller, name });
        await followOne({ tenant: caller.tenant, name });
      }),
    rotate: () =>
      inTurn(() =>
        rotateSecrets({ kept, reads, rewrap: (secrets) => execute({ kind: 'rewrap-secrets', secrets }) }),
      ),
  };
}

function placeText({ tenant, name }: SecretPlace): string {
  return JSON.stringify([tenant, name]);
}

/** The names of secrets are shown where values were redacted, so no name may hold a value. */
function refuseUnfit(known: readonly SecretPlace[], { tenant, name }: SecretPlace, value: string): void {
  const problem =
    problemWithSecret(tenant, name, value) ??
    (known.some((other) => other.name.includes(value)) ? 'is a part of the name of a secret' : undefined) ??
    (value !== value.trim() ? 'begins or ends with white space' : undefined);
  if (problem === undefined) return;
  throw new BatonError('validation_error', `The value ${problem}.`, { field: 'value' });
}
