/**
 * The part of a SQLite driver that the store needs. The native driver implements it, and so does a SQLite
 * that runs over a simulated disk.
 */

export type Value = string | number | null;

/** `lastInsertRowid` is meaningful only if `changes` is not 0. */
interface Written {
  readonly changes: number;
  readonly lastInsertRowid: number;
}

export interface Statement<Row = unknown> {
  run(...values: readonly Value[]): Written;
  get(...values: readonly Value[]): Row | undefined;
  all(...values: readonly Value[]): readonly Row[];
}

export interface Database {
  readonly inTransaction: boolean;
  exec(sql: string): unknown;
  prepare<Row = unknown>(sql: string): Statement<Row>;
  close(): unknown;
}
