import { columnsOf } from '../database/columns.ts';
import { type Statement, statement } from './statement.ts';

/** Counts the bytes of appended events by tenant. */
export function writeUsage(bytesByTenant: ReadonlyMap<string, number>): readonly Statement[] {
  if (bytesByTenant.size === 0) return [];
  const { bigint, text } = columnsOf([...bytesByTenant]);
  const bytes = bigint('bytes', ([, count]) => count);
  return [
    statement(
      COUNT,
      text('tenant', ([tenant]) => tenant),
      bytes,
    ),
  ];
}

/** `count_bytes` waits for no other transaction, so the order of the tenants does not matter. */
const COUNT =
  'SELECT count_bytes(tenant, bytes) FROM unnest($1::text[], $2::bigint[]) AS given (tenant, bytes)';
