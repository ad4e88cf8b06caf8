import { createHash } from 'node:crypto';
import { openSqliteStore } from '@baton/store-sqlite';

/** Adds a key for each tenant to a data folder that no host uses yet, and returns the keys. */
export async function addTenants(dataFolder, names) {
  const store = openSqliteStore(dataFolder);
  const keys = names.map((tenant) => ({ tenant, token: `bench-key-of-${tenant}` }));
  for (const { tenant, token } of keys) {
    await store.putKey({
      id: `bench-${tenant}`,
      hash: createHash('sha256').update(token).digest('hex'),
      tenant,
      principal: tenant,
      scopes: ['workflows:write', 'runs:create', 'runs:read', 'runs:cancel'],
      createdAt: Date.now(),
    });
  }
  await store.close();
  return keys.map(({ token }) => token);
}
