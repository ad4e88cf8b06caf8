/**
 * The part of a Postgres driver that the store needs. Statements are prepared once on each connection. Numbers of
 * Postgres (`bigint` too) come back as numbers, `bytea` as a `Buffer`, arrays as arrays.
 */

type Single = string | number | boolean | null | Buffer;

export type Value = Single | readonly Single[];

export interface Queries {
  rows<Row>(sql: string, ...values: readonly Value[]): Promise<readonly Row[]>;
  /** The first row. */
  row<Row>(sql: string, ...values: readonly Value[]): Promise<Row | undefined>;
  /** How many rows the statement has changed. */
  run(sql: string, ...values: readonly Value[]): Promise<number>;
}

/** Statements are repeated when Postgres asks for it (a deadlock, a lock that was not granted in time). */
export interface Database extends Queries {
  /**
   * Runs `work` in a transaction that may write (read committed). It is repeated too, so `work` has no effect but its
   * statements. Statements that do not wait for each other leave in one write.
   */
  transaction<T>(work: (queries: Queries) => Promise<T>): Promise<T>;
  /** Several queries read the same version of the database, while others write. */
  snapshot<T>(work: (queries: Queries) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}
