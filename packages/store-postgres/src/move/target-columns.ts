import type { Queries } from '../database/database.ts';

export interface TargetColumn {
  readonly table: string;
  readonly name: string;
  /** As Postgres names it, such as `bigint`. */
  readonly type: string;
  /** Whether Postgres numbers the rows in this column by itself. */
  readonly isIdentity: boolean;
}

/** The columns of all tables of the database. */
export function targetColumns(queries: Queries): Promise<readonly TargetColumn[]> {
  return queries.rows<TargetColumn>(COLUMNS);
}

const COLUMNS = `
  SELECT pg_class.relname AS "table", attname AS name, format_type(atttypid, NULL) AS type,
    attidentity <> '' AS "isIdentity"
  FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
  WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace AND attnum > 0 AND NOT attisdropped
  ORDER BY relname, attnum`;
