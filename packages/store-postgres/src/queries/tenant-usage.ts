import type { Store } from '@baton/engine/ports';
import type { Queries } from '../database/database.ts';

export function usageReads(database: Queries): Pick<Store, 'bytesOf'> {
  return {
    async bytesOf(tenant) {
      const usage = await database.row<{ bytes: number }>(BYTES, tenant);
      return usage?.bytes ?? 0;
    },
  };
}

/** One part may be below zero, because a removal may be counted in another part than the addition. */
const BYTES = 'SELECT greatest(sum(bytes), 0) AS bytes FROM tenant_usage WHERE tenant = $1';
