import { randomBytes } from 'node:crypto';
import { type Redactor, redactorOf } from '../../kernel/secrecy/redaction.ts';
import type { Vault } from '../../kernel/secrecy/vault.ts';
import { SEALING_KEY_BYTES, type Sealer, sealerOf } from './sealing.ts';

/** The values of secrets, by tenant and id. All tenants share the secrets of the tenant `*`. */
export type Secrets = ReadonlyMap<string, ReadonlyMap<string, string>>;

export const EVERY_TENANT = '*';

/** The secrets and the sealing key of the host. The kernel sees only the `Vault` part. */
export interface OpenVault extends Vault, Sealer {
  /** Redacts the secrets of all tenants, for text that belongs to no tenant, such as the host's own log. */
  readonly everyRedactor: Redactor | undefined;
}

/** Without a given key, the key is random, and sealed values cannot be opened after the process has ended. */
export function openVault(
  secrets: Secrets = new Map(),
  key: Uint8Array = randomBytes(SEALING_KEY_BYTES),
): OpenVault {
  const shared = secrets.get(EVERY_TENANT) ?? new Map<string, string>();
  const sharedRedactor = redactorOf(shared);
  const redactors = new Map<string, Redactor | undefined>();
  for (const [tenant, own] of secrets) {
    if (tenant !== EVERY_TENANT) redactors.set(tenant, redactorOf([...own, ...shared]));
  }
  const sealer = sealerOf(key);
  return {
    ...sealer,
    opens: (tenant, token) => sealer.unseal(tenant, token) !== undefined,
    secret: (tenant, id) => secrets.get(tenant)?.get(id) ?? shared.get(id),
    redactor: (tenant) => redactors.get(tenant) ?? sharedRedactor,
    everyRedactor: redactorOf([...secrets.values()].flatMap((own) => [...own])),
  };
}
