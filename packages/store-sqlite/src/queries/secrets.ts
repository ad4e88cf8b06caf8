import type { SecretReads, SecretRecord, Store } from '@baton/engine/ports';
import type { Database } from '../database/database.ts';
import { written } from '../database/storage-full.ts';
import { atomically, transaction } from '../database/transaction.ts';

const SELECT = 'SELECT tenant, name, jwe, updated_at AS updatedAt FROM secrets';

export function secretReads(database: Database): SecretReads {
  const one = database.prepare<SecretRecord>(`${SELECT} WHERE tenant = ? AND name = ?`);
  const ofTenant = database.prepare<SecretRecord>(`${SELECT} WHERE tenant = ? ORDER BY name`);
  const after = database.prepare<SecretRecord>(
    `${SELECT} WHERE (tenant, name) > (?, ?) ORDER BY tenant, name LIMIT ?`,
  );
  return {
    secret: async (tenant, name) => one.get(tenant, name),
    secrets: async (tenant) => ofTenant.all(tenant),
    everySecret: async (place, limit) => after.all(place?.tenant ?? '', place?.name ?? '', limit),
  };
}

type SecretWriter = Pick<Store, 'putSecret' | 'deleteSecret' | 'rewrapSecrets'>;

export function secretWriter(database: Database): SecretWriter {
  const put = database.prepare(PUT);
  const remove = database.prepare('DELETE FROM secrets WHERE tenant = ? AND name = ?');
  const rewrap = database.prepare('UPDATE secrets SET jwe = ? WHERE tenant = ? AND name = ? AND jwe = ?');
  const own = transaction(database);
  return {
    putSecret: async ({ tenant, name, jwe, updatedAt }, most) =>
      written(() => put.run(tenant, name, jwe, updatedAt, tenant, name, most)),
    deleteSecret: async (tenant, name) => written(() => remove.run(tenant, name)),
    rewrapSecrets: async (secrets) =>
      atomically(own, () =>
        secrets.reduce(
          (count, { tenant, name, from, to }) => count + rewrap.run(to, tenant, name, from).changes,
          0,
        ),
      ),
  };
}

const PUT = `
  INSERT INTO secrets (tenant, name, jwe, updated_at)
  SELECT ?, ?, ?, ? WHERE (SELECT count(*) FROM secrets WHERE tenant = ? AND name <> ?) < ?
  ON CONFLICT (tenant, name) DO UPDATE SET jwe = excluded.jwe, updated_at = excluded.updated_at`;
