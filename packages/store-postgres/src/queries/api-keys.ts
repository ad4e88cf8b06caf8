import { type ApiKey, type Columns, type KeyReads, present, type Store } from '@baton/engine/ports';
import { changeAndTell } from '../commit/commit-row.ts';
import type { Database } from '../database/database.ts';
import type { Self } from '../self.ts';

type KeyColumns = Columns<ApiKey>;

const SELECT = `
  SELECT id, hash, tenant, principal, scopes::json, roles::json, created_at AS "createdAt", revoked_at AS "revokedAt"
  FROM api_keys`;

/** Also returns revoked keys, with the time of their revocation. The caller must check it. */
export function keyReads(database: Database): KeyReads {
  return {
    async keyByHash(hash) {
      const row = await database.row<KeyColumns>(`${SELECT} WHERE hash = $1`, hash);
      return row && present<ApiKey>(row);
    },
    async key(id) {
      const row = await database.row<KeyColumns>(`${SELECT} WHERE id = $1`, id);
      return row && present<ApiKey>(row);
    },
    async keys() {
      const rows = await database.rows<KeyColumns>(`${SELECT} ORDER BY created_at, id`);
      return rows.map((row) => present<ApiKey>(row));
    },
  };
}

export function keyWriter(database: Database, self: Self): Pick<Store, 'putKey' | 'revokeKey'> {
  return {
    async putKey({ id, hash, tenant, principal, scopes, roles, createdAt, revokedAt }) {
      const given = JSON.stringify(scopes);
      const named = roles === undefined ? null : JSON.stringify(roles);
      const values = [id, hash, tenant, principal, given, named, createdAt, revokedAt ?? null];
      await changeAndTell(database, self, { kind: 'key', id }, PUT, ...values);
    },
    revokeKey: (id, at) => changeAndTell(database, self, { kind: 'key', id }, REVOKE, at, id),
  };
}

const PUT = `
  INSERT INTO api_keys (id, hash, tenant, principal, scopes, roles, created_at, revoked_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
  ON CONFLICT (id) DO UPDATE SET hash = excluded.hash, tenant = excluded.tenant,
    principal = excluded.principal, scopes = excluded.scopes, roles = excluded.roles, created_at = excluded.created_at,
    revoked_at = excluded.revoked_at`;

const REVOKE = 'UPDATE api_keys SET revoked_at = $1 WHERE id = $2 AND revoked_at IS NULL';
