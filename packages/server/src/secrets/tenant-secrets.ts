import type { Caller, Command, Engine, OpenVault } from '@baton/engine';
import type { ChangeFeed, SecretPlace, SecretRecord, TaskPushReads, WebhookReads } from '@baton/engine/ports';
import { BatonError, type SecretEntry } from '@baton/protocol';
import { rewrappedPushes, storedCredentials } from '../a2a/push/stored-credentials.ts';
import { refusal } from '../http/errors.ts';
import { type FollowedSecretsOptions, followedSecrets } from './followed-secrets.ts';
import { oneAtATime } from './one-at-a-time.ts';
import { rotateSecrets } from './rotate-secrets.ts';
import { openSecret, wrapSecret } from './secret-envelope.ts';
import { problemWithSecret } from './secret-rules.ts';

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
