/** A secret that a tenant set while a host was running. Its value is encrypted, and the store cannot open it. */
export interface SecretRecord {
  readonly tenant: string;
  readonly name: string;
  /** The encrypted value, in the compact form of JWE. */
  readonly jwe: string;
  readonly updatedAt: number;
}

/** The place of a secret in the order of `everySecret`. */
export type SecretPlace = Pick<SecretRecord, 'tenant' | 'name'>;

export interface SecretReads {
  secret(tenant: string, name: string): Promise<SecretRecord | undefined>;
  /** The secrets of a tenant, by name. */
  secrets(tenant: string): Promise<readonly SecretRecord[]>;
  /**
   * The secrets of all tenants, by tenant and name, after the given place. Only for the host itself, never for
   * a caller.
   */
  everySecret(after: SecretPlace | undefined, limit: number): Promise<readonly SecretRecord[]>;
}
