import type { ApiKey, Store, StoreReads } from '@baton/engine/ports';
import type { Database } from '../database/database.ts';
import { writeFailure } from '../database/storage-full.ts';

interface KeyColumns extends Omit<ApiKey, 'scopes' | 'revokedAt'> {
  readonly scopes: string;
  readonly revokedAt: number | null;
}

const SELECT = `
  SELECT id, hash, tenant, principal, scopes, created_at AS createdAt, revoked_at AS revokedAt FROM api_keys`;

/** Revoked keys are found too, with the time of their revocation: whoever lets callers in judges them. */
export function keyReads(database: Database): Pick<StoreReads, 'keyByHash' | 'keys'> {
  const byHash = database.prepare<KeyColumns>(`${SELECT} WHERE hash = ?`);
  const all = database.prepare<KeyColumns>(`${SELECT} ORDER BY created_at, id`);
  return {
    keyByHash(hash) {
      const row = byHash.get(hash);
      return row && toApiKey(row);
    },
    keys: () => all.all().map(toApiKey),
  };
}

export function keyWriter(database: Database): Pick<Store, 'putKey' | 'revokeKey'> {
  const put = database.prepare(PUT);
  const revoke = database.prepare('UPDATE api_keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL');
  return {
    async putKey({ id, hash, tenant, principal, scopes, createdAt, revokedAt }) {
      try {
        put.run(id, hash, tenant, principal, JSON.stringify(scopes), createdAt, revokedAt ?? null);
      } catch (error) {
        throw writeFailure(error);
      }
    },
    async revokeKey(id, at) {
      try {
        return revoke.run(at, id).changes === 1;
      } catch (error) {
        throw writeFailure(error);
      }
    },
  };
}

function toApiKey({ revokedAt, scopes, ...rest }: KeyColumns): ApiKey {
  const key = { ...rest, scopes: JSON.parse(scopes) };
  return revokedAt === null ? key : { ...key, revokedAt };
}

const PUT = `
  INSERT INTO api_keys (id, hash, tenant, principal, scopes, created_at, revoked_at)
  VALUES (?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (id) DO UPDATE SET hash = excluded.hash, tenant = excluded.tenant,
    principal = excluded.principal, scopes = excluded.scopes, created_at = excluded.created_at,
    revoked_at = excluded.revoked_at`;
