import type { Json } from '@baton/protocol';
import type { Redactor } from './redaction.ts';

/** What the kernel needs to know of secrets, and how it keeps sensitive values from being seen. */
export interface Vault {
  /** The value of a secret that the tenant may use. */
  secret(tenant: string, id: string): string | undefined;
  /** Nothing for a tenant without secrets. */
  redactor(tenant: string): Redactor | undefined;
  /** The token that stands for a value: the same for the same tenant, name and value. */
  seal(tenant: string, name: string, value: Json): string;
  /** Whether this host sealed the token for this tenant, with the key that it has now. */
  opens(tenant: string, token: string): boolean;
}
