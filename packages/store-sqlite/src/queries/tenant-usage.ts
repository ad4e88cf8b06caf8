import type { Store } from '@baton/engine/ports';
import type { Database } from '../database/database.ts';

export function usageReads(database: Database): Pick<Store, 'bytesOf'> {
  const usage = database.prepare<{ bytes: number }>('SELECT bytes FROM tenant_usage WHERE tenant = ?');
  return { bytesOf: async (tenant) => usage.get(tenant)?.bytes ?? 0 };
}
