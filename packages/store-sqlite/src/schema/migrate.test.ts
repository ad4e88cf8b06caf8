import BetterSqlite3 from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { asDatabase } from '../database/native.ts';
import { migrate, requireNewestSchema, schemaVersion } from './migrate.ts';
import { newestVersion, SCHEMA } from './migrations.ts';

const FIRST = 'CREATE TABLE fruit (name TEXT)';
const SECOND = "INSERT INTO fruit VALUES ('apple')";

/** The first migration makes version 7. */
const schema = (...migrations: readonly string[]) => ({ first: 7, migrations });

function emptyDatabase() {
  const native = new BetterSqlite3(':memory:');
  onTestFinished(() => {
    native.close();
  });
  return { native, database: asDatabase(native) };
}

describe('migrate', () => {
  it('brings an empty file to the newest schema', () => {
    const { database } = emptyDatabase();
    expect(schemaVersion(database, 'x')).toBe(0);
    migrate(database, 'x');
    expect(schemaVersion(database, 'x')).toBe(newestVersion(SCHEMA));
  });

  it('applies each migration once, and only those that are missing', () => {
    const { native, database } = emptyDatabase();
    migrate(database, 'x', schema(FIRST));
    migrate(database, 'x', schema(FIRST, SECOND));
    migrate(database, 'x', schema(FIRST, SECOND));
    expect(native.prepare('SELECT name FROM fruit').pluck().all()).toEqual(['apple']);
    expect(schemaVersion(database, 'x', schema(FIRST, SECOND))).toBe(8);
  });

  it('leaves the file as it was when a migration fails', () => {
    const { native, database } = emptyDatabase();
    migrate(database, 'x', schema(FIRST));
    expect(() => migrate(database, 'x', schema(FIRST, SECOND, 'nonsense'))).toThrow(/syntax error/);
    expect(native.prepare('SELECT name FROM fruit').all()).toEqual([]);
    expect(schemaVersion(database, 'x', schema(FIRST))).toBe(7);
  });

  it('refuses a database of a newer version and says what to do', () => {
    const { database } = emptyDatabase();
    migrate(database, 'x', schema(FIRST, SECOND));
    expect(() => migrate(database, '/data/baton.db', schema(FIRST))).toThrow(
      /\/data\/baton\.db has schema version 8, but this Baton knows versions up to 7: start the newer Baton/,
    );
  });

  it.each([0, SCHEMA.first - 1])(
    'refuses version %i, of a development version, and says what to do',
    (version) => {
      const { native, database } = emptyDatabase();
      migrate(database, 'x');
      native.exec(`PRAGMA user_version = ${version}`);
      expect(() => migrate(database, '/data/baton.db')).toThrow(
        '/data/baton.db was made by a development version of Baton: start with an empty data folder',
      );
    },
  );

  it('refuses a database of another program', () => {
    const { native, database } = emptyDatabase();
    native.exec(FIRST);
    expect(() => migrate(database, '/data/baton.db')).toThrow('/data/baton.db is not a Baton database');
    native.exec('PRAGMA application_id = 7');
    expect(() => migrate(database, '/data/baton.db')).toThrow('is not a Baton database');
  });

  it('does not let a reader use a schema that is not the newest', () => {
    const { database } = emptyDatabase();
    expect(() => requireNewestSchema(database, 'x')).toThrow(/start the host once/);
    migrate(database, 'x');
    expect(() => requireNewestSchema(database, 'x')).not.toThrow();
  });
});
