import type { Json } from '@baton/protocol';
import type { Redactor } from './redaction.ts';

/** The functions that the kernel needs for secrets and sensitive values. */
export interface Vault {
  /** The value of a secret that the tenant may use. */
  secret(tenant: string, id: string): string | undefined;
  /** `undefined` for a tenant without secrets. */
  redactor(tenant: string): Redactor | undefined;
  /** The token that replaces a value. It is the same for the same tenant, name and value. */
  seal(tenant: string, name: string, value: Json): string;
  /** Whether this host sealed the token for this tenant with its present key. */
  opens(tenant: string, token: string): boolean;
}
