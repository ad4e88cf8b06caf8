import type { SecretReads, SecretRecord, Store } from '@baton/engine/ports';
import { changeAndTell, tellChanges } from '../commit/commit-row.ts';
import type { Database } from '../database/database.ts';
import { lockName } from '../database/locks.ts';
import type { Self } from '../self.ts';

const SELECT = 'SELECT tenant, name, jwe, updated_at AS "updatedAt" FROM secrets';

export function secretReads(database: Database): SecretReads {
  return {
    secret: (tenant, name) =>
      database.row<SecretRecord>(`${SELECT} WHERE tenant = $1 AND name = $2`, tenant, name),
    secrets: (tenant) => database.rows<SecretRecord>(`${SELECT} WHERE tenant = $1 ORDER BY name`, tenant),
    everySecret: (place, limit) =>
      database.rows<SecretRecord>(AFTER, place?.tenant ?? '', place?.name ?? '', limit),
  };
}

type SecretWriter = Pick<Store, 'putSecret' | 'deleteSecret' | 'rewrapSecrets'>;

export function secretWriter(database: Database, self: Self): SecretWriter {
  return {
    putSecret: ({ tenant, name, jwe, updatedAt }, most) =>
      database.transaction(async (queries) => {
        const locked = lockName(queries, 'secrets', tenant);
        const [, stored] = await Promise.all([locked, queries.run(PUT, tenant, name, jwe, updatedAt, most)]);
        if (stored === 0) return false;
        await tellChanges(queries, self, [{ kind: 'secret', tenant, name }]);
        return true;
      }),
    deleteSecret: (tenant, name) =>
      changeAndTell(database, self, { kind: 'secret', tenant, name }, DELETE, tenant, name),
    rewrapSecrets: (secrets) =>
      database.transaction((queries) => queries.run(REWRAP, JSON.stringify(secrets))),
  };
}

const AFTER = `${SELECT} WHERE (tenant, name) > ($1, $2) ORDER BY tenant, name LIMIT $3`;

const PUT = `
  INSERT INTO secrets (tenant, name, jwe, updated_at)
  SELECT $1, $2, $3, $4 WHERE (SELECT count(*) FROM secrets WHERE tenant = $1 AND name <> $2) < $5
  ON CONFLICT (tenant, name) DO UPDATE SET jwe = excluded.jwe, updated_at = excluded.updated_at`;

const DELETE = 'DELETE FROM secrets WHERE tenant = $1 AND name = $2';

const REWRAP = `
  UPDATE secrets SET jwe = given."to"
  FROM json_to_recordset($1::json) AS given (tenant text, name text, "from" text, "to" text)
  WHERE secrets.tenant = given.tenant AND secrets.name = given.name AND secrets.jwe = given."from"`;
