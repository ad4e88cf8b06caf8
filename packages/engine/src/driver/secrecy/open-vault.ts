import { randomBytes } from 'node:crypto';
import { type Redactor, redactorOf } from '../../kernel/secrecy/redaction.ts';
import type { Vault } from '../../kernel/secrecy/vault.ts';
import { learnedSecrets, type SecretChange } from './learned-secrets.ts';
import { SEALING_KEY_BYTES, type Sealer, sealerOf } from './sealing.ts';

/** The values of secrets, by tenant and id. All tenants share the secrets of the tenant `*`. */
export type Secrets = ReadonlyMap<string, ReadonlyMap<string, string>>;

export const EVERY_TENANT = '*';

/** The secrets and the sealing key of the host. The kernel sees only the `Vault` part. */
export interface OpenVault extends Vault, Sealer {
  /**
   * Redacts the secrets of all tenants, for text that belongs to no tenant, such as the host's own log.
   * `undefined` while there are no secrets.
   */
  everyRedactor(): Redactor | undefined;
  /** Follows a change of the secrets that tenants set while the host runs. */
  change(change: SecretChange): void;
  /** The changes that lead another vault to the same secrets: those of one tenant, or of all. */
  changes(tenant?: string): readonly SecretChange[];
}

/**
 * Without a given key, the key is random, and sealed values cannot be opened after the process has ended.
 *
 * A redactor is made when it is first needed after a change. Callers ask for it each time that they redact, so
 * that a secret which was learned meanwhile is redacted too.
 */
export function openVault(
  secrets: Secrets = new Map(),
  key: Uint8Array = randomBytes(SEALING_KEY_BYTES),
): OpenVault {
  const shared = secrets.get(EVERY_TENANT) ?? new Map<string, string>();
  const sharedRedactor = redactorOf(shared);
  const learned = learnedSecrets();
  const redactors = new Map<string, Redactor | undefined>();
  let every: { readonly redactor: Redactor | undefined } | undefined;
  const sealer = sealerOf(key);

  function redactor(tenant: string): Redactor | undefined {
    if (redactors.has(tenant)) return redactors.get(tenant);
    const given = tenant === EVERY_TENANT ? [] : (secrets.get(tenant) ?? []);
    const own = [...learned.redacted(tenant), ...given];
    // Not remembered, because anybody may ask for any number of unknown tenants.
    if (own.length === 0) return sharedRedactor;
    const made = redactorOf([...own, ...shared]);
    redactors.set(tenant, made);
    return made;
  }

  return {
    ...sealer,
    opens: (tenant, token) => sealer.unseal(tenant, token) !== undefined,
    secret: (tenant, id) => learned.value(tenant, id) ?? secrets.get(tenant)?.get(id) ?? shared.get(id),
    redactor,
    everyRedactor() {
      every ??= {
        redactor: redactorOf([
          ...[...learned.tenants()].flatMap((tenant) => learned.redacted(tenant)),
          ...[...secrets.values()].flatMap((own) => [...own]),
        ]),
      };
      return every.redactor;
    },
    change(change) {
      learned.change(change);
      redactors.delete(change.tenant);
      every = undefined;
    },
    changes: (tenant) =>
      (tenant === undefined ? [...learned.tenants()] : [tenant]).flatMap((own) => learned.changes(own)),
  };
}
