import BetterSqlite3 from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import type { Database } from '../database/database.ts';
import { asDatabase } from '../database/native.ts';
import { runNumbers } from './run-numbers.ts';

/** A table of three runs, and a count of the queries to it. */
function storedRuns() {
  const native = new BetterSqlite3(':memory:');
  native.exec(
    `CREATE TABLE runs (run_no, run_id, tenant);
     INSERT INTO runs VALUES (1, 'a', 'acme'), (2, 'b', 'other'), (3, 'c', 'acme')`,
  );
  const database = asDatabase(native);
  let queries = 0;
  const counting: Database = {
    ...database,
    prepare: (sql) => {
      const statement = database.prepare<never>(sql);
      const get: typeof statement.get = (...values) => {
        queries += 1;
        return statement.get(...values);
      };
      return { run: statement.run, all: statement.all, get };
    },
  };
  return { database: counting, queries: () => queries };
}

describe('run numbers', () => {
  it('asks the database once for a run that it does not know', () => {
    const { database, queries } = storedRuns();
    const numbers = runNumbers(database);
    expect([numbers.of('b'), numbers.of('b'), numbers.tenantOf('b')]).toEqual([2, 2, 'other']);
    expect(queries()).toBe(1);
  });

  it('does not ask for a run that it was told', () => {
    const { database, queries } = storedRuns();
    const numbers = runNumbers(database);
    numbers.add('new', 9, 'acme');
    expect([numbers.of('new'), numbers.tenantOf('new')]).toEqual([9, 'acme']);
    expect(queries()).toBe(0);
  });

  it('does not know runs that are not stored', () => {
    expect(runNumbers(storedRuns().database).of('nobody')).toBeUndefined();
  });

  it('remembers no more than its capacity, the newest', () => {
    const { database, queries } = storedRuns();
    const numbers = runNumbers(database, 2);
    for (const runId of ['a', 'b', 'c']) numbers.of(runId);
    expect(queries()).toBe(3);
    numbers.of('c');
    numbers.of('b');
    expect(queries()).toBe(3);
    numbers.of('a');
    expect(queries()).toBe(4);
  });

  it('forgets one run, or all', () => {
    const { database, queries } = storedRuns();
    const numbers = runNumbers(database);
    numbers.of('a');
    numbers.forget('a');
    numbers.of('a');
    numbers.clear();
    numbers.of('a');
    expect(queries()).toBe(3);
  });
});
