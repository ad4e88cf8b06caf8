export interface ApiKey {
  readonly id: string;
  readonly hash: string;
  readonly tenant: string;
  readonly principal: string;
  readonly scopes: readonly string[];
  /** The roles whose scopes the key was made with. */
  readonly roles?: readonly string[];
  readonly createdAt: number;
  readonly revokedAt?: number;
}

export interface KeyReads {
  keyByHash(hash: string): Promise<ApiKey | undefined>;
  key(id: string): Promise<ApiKey | undefined>;
  keys(): Promise<readonly ApiKey[]>;
}
