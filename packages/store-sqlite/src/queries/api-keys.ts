import { type ApiKey, type KeyReads, parsed, type Store } from '@baton/engine/ports';
import type { Database } from '../database/database.ts';
import { written } from '../database/storage-full.ts';

const SELECT = `
  SELECT id, hash, tenant, principal, scopes, roles, created_at AS createdAt, revoked_at AS revokedAt
  FROM api_keys`;

const toApiKey = (row: object) => parsed<ApiKey>(row, 'scopes', 'roles');

/** Also returns revoked keys, with the time of their revocation. The caller must check it. */
export function keyReads(database: Database): KeyReads {
  const byHash = database.prepare<object>(`${SELECT} WHERE hash = ?`);
  const byId = database.prepare<object>(`${SELECT} WHERE id = ?`);
  const all = database.prepare<object>(`${SELECT} ORDER BY created_at, id`);
  return {
    async keyByHash(hash) {
      const row = byHash.get(hash);
      return row && toApiKey(row);
    },
    async key(id) {
      const row = byId.get(id);
      return row && toApiKey(row);
    },
    keys: async () => all.all().map(toApiKey),
  };
}

export function keyWriter(database: Database): Pick<Store, 'putKey' | 'revokeKey'> {
  const put = database.prepare(PUT);
  const revoke = database.prepare('UPDATE api_keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL');
  return {
    async putKey({ id, hash, tenant, principal, scopes, roles, createdAt, revokedAt }) {
      const given = JSON.stringify(scopes);
      const named = roles === undefined ? null : JSON.stringify(roles);
      written(() => put.run(id, hash, tenant, principal, given, named, createdAt, revokedAt ?? null));
    },
    revokeKey: async (id, at) => written(() => revoke.run(at, id)),
  };
}

const PUT = `
  INSERT INTO api_keys (id, hash, tenant, principal, scopes, roles, created_at, revoked_at)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (id) DO UPDATE SET hash = excluded.hash, tenant = excluded.tenant,
    principal = excluded.principal, scopes = excluded.scopes, roles = excluded.roles, created_at = excluded.created_at,
    revoked_at = excluded.revoked_at`;
