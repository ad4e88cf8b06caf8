import type { Database, Statement } from './database.ts';

/** Prepares a statement at its first use and keeps it. For statements whose text depends on a query. */
export function preparedStatements(database: Database): <Row>(sql: string) => Statement<Row> {
  const kept = new Map<string, Statement<unknown>>();
  return <Row>(sql: string) => {
    const statement = kept.get(sql) ?? database.prepare<Row>(sql);
    kept.set(sql, statement);
    return statement as Statement<Row>;
  };
}
