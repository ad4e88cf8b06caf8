import { randomBytes } from 'node:crypto';
import { type Redactor, redactorOf } from '../../kernel/secrecy/redaction.ts';
import type { Vault } from '../../kernel/secrecy/vault.ts';
import { SEALING_KEY_BYTES, type Sealer, sealerOf } from './sealing.ts';

/** Values by id, by tenant. Those of the tenant `*` belong to everybody. */
export type Secrets = ReadonlyMap<string, ReadonlyMap<string, string>>;

export const EVERY_TENANT = '*';

/** What the host knows of secrets and sealed values; the kernel sees only its own side of it. */
export interface OpenVault extends Vault, Sealer {
  /** For what belongs to no tenant, such as the host's own log: the secrets of all. */
  readonly everyRedactor: Redactor | undefined;
}

/** Without a key what is sealed stays sealed once the process has ended. */
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
