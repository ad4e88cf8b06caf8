import BetterSqlite3 from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { asDatabase } from '../database/native.ts';
import { replyLookup, replyWriter } from '../queries/replies.ts';
import { repliesByPrincipal } from './0001-0010/0009-replies-by-principal.ts';
import { migrate, requireNewestSchema, schemaVersion } from './migrate.ts';
import { MIGRATIONS } from './migrations.ts';

const FIRST = 'CREATE TABLE fruit (name TEXT)';
const SECOND = "INSERT INTO fruit VALUES ('apple')";

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
    expect(schemaVersion(database, 'x')).toBe(MIGRATIONS.length);
  });

  it('applies each migration once, and only those that are missing', () => {
    const { native, database } = emptyDatabase();
    migrate(database, 'x', [FIRST]);
    migrate(database, 'x', [FIRST, SECOND]);
    migrate(database, 'x', [FIRST, SECOND]);
    expect(native.prepare('SELECT name FROM fruit').pluck().all()).toEqual(['apple']);
    expect(schemaVersion(database, 'x', 2)).toBe(2);
  });

  it('keeps the runs of the first schema, without a role or a goal', () => {
    const { native, database } = emptyDatabase();
    migrate(database, 'x', MIGRATIONS.slice(0, 1));
    native.exec(
      `INSERT INTO runs (run_no, run_id, root_no, tenant, principal, workflow_id, workflow_version, status,
         created_at, updated_at, head, unfinished)
       VALUES (1, 'a', 1, 'acme', 'ada', 'w', 1, 'running', 0, 0, 1, 0)`,
    );
    migrate(database, 'x');
    expect(native.prepare('SELECT run_id, role, goal_met FROM runs').all()).toEqual([
      { run_id: 'a', role: null, goal_met: null },
    ]);
  });

  it('counts what the tenants of earlier schemas store', () => {
    const { native, database } = emptyDatabase();
    migrate(database, 'x', MIGRATIONS.slice(0, 10));
    native.exec(
      `INSERT INTO runs (run_no, run_id, root_no, tenant, principal, workflow_id, workflow_version, status,
         created_at, updated_at, head, unfinished)
       VALUES (1, 'a', 1, 'acme', 'ada', 'w', 1, 'running', 0, 0, 1, 0),
              (2, 'b', 2, 'other', 'ada', 'w', 1, 'running', 0, 0, 1, 0);
       INSERT INTO events (run_no, seq, data) VALUES (1, 0, '12345'), (1, 1, 'é'), (2, 0, '1');
       INSERT INTO checkpoints (run_no, seq, fold_version, state) VALUES (1, 1, 1, '123');
       INSERT INTO definitions VALUES ('d', '1234');
       INSERT INTO workflows VALUES ('acme', 'w', 1, 'd', 0), ('acme', 'w', 2, 'd', 0), ('*', 'w', 1, 'd', 0)`,
    );
    migrate(database, 'x');
    expect(native.prepare('SELECT * FROM tenant_usage').all()).toEqual([
      { tenant: '*', bytes: 4 },
      { tenant: 'acme', bytes: 5 + 2 + 3 + 4 },
      { tenant: 'other', bytes: 1 },
    ]);
  });

  it('keeps the order of earlier events, and lets their trees go on above all of them', () => {
    const { native, database } = emptyDatabase();
    migrate(database, 'x', MIGRATIONS.slice(0, 11));
    native.exec(
      `INSERT INTO runs (run_no, run_id, root_no, tenant, principal, workflow_id, workflow_version, status,
         created_at, updated_at, head, unfinished)
       VALUES (1, 'a', 1, 'acme', 'ada', 'w', 1, 'running', 0, 0, 3, 0),
              (2, 'a.1', 1, 'acme', 'ada', 'w', 1, 'running', 0, 0, 2, 0),
              (3, 'b', 3, 'acme', 'ada', 'w', 1, 'running', 0, 0, 2, 0);
       INSERT INTO events (pos, run_no, seq, data, starts)
       VALUES (1, 1, 0, '', NULL), (2, 1, 1, '', 1), (3, 2, 0, '', 0), (4, 1, 2, '', 0), (6, 2, 1, '', 1),
              (8, 3, 0, '', 1), (9, 3, 1, '', 0)`,
    );
    migrate(database, 'x');
    const placed = native.prepare('SELECT run_no, seq, place, place + step_rest FROM events ORDER BY pos');
    expect(placed.raw().all()).toEqual([
      [1, 0, 1, 1],
      [1, 1, 2, 5],
      [2, 0, 3, 5],
      [1, 2, 4, 5],
      [2, 1, 6, 7],
      [3, 0, 8, 9],
      [3, 1, 9, 9],
    ]);
    expect(native.prepare('SELECT run_id, places FROM runs ORDER BY run_no').raw().all()).toEqual([
      ['a', 9],
      ['a.1', null],
      ['b', 9],
    ]);
  });

  it('keeps signed checkpoints of earlier schemas, outside of the audit log, and guards them from then on', () => {
    const { native, database } = emptyDatabase();
    migrate(database, 'x', MIGRATIONS.slice(0, 12));
    native.exec(
      `INSERT INTO audit_checkpoints (number, at, digest, key_id, signature, runs) VALUES (1, 5, 'd', 'k', 's', '[1]');
       INSERT INTO audit_leaves VALUES (1, 1, 3, 'link')`,
    );
    migrate(database, 'x');
    expect(native.prepare('SELECT number, digest, sequence FROM audit_checkpoints').all()).toEqual([
      { number: 1, digest: 'd', sequence: null },
    ]);
    for (const change of ['DELETE FROM audit_leaves', "UPDATE audit_checkpoints SET digest = 'e'"]) {
      expect(() => native.exec(change)).toThrow('cannot be');
    }
  });

  it('keeps the checkpoints of earlier schemas', () => {
    const { native, database } = emptyDatabase();
    migrate(database, 'x', MIGRATIONS.slice(0, 3));
    native.exec('INSERT INTO checkpoints VALUES (1, 5, 3, \'{"a":1}\'), (2, 9, 2, \'{"b":1}\')');
    migrate(database, 'x');
    expect(native.prepare('SELECT * FROM checkpoints').all()).toEqual([
      { run_no: 1, seq: 5, fold_version: 3, chain: null, state: '{"a":1}' },
      { run_no: 2, seq: 9, fold_version: 2, chain: null, state: '{"b":1}' },
    ]);
  });

  it('keeps remembered replies from before they had a principal, for every principal of the tenant', () => {
    const { native, database } = emptyDatabase();
    const before = MIGRATIONS.filter((sql) => sql !== repliesByPrincipal);
    migrate(database, 'x', before);
    native.exec("INSERT INTO replies VALUES ('acme', 'k', 'r', '{}', 5)");
    native.exec(repliesByPrincipal);
    const replyFor = replyLookup(database);
    const old = { tenant: 'acme', principal: '', key: 'k', request: 'r', reply: '{}', at: 5 };
    expect([replyFor('acme', 'ada', 'k'), replyFor('acme', 'bo', 'k')]).toEqual([old, old]);
    expect(replyFor('other', 'ada', 'k')).toBeUndefined();
    replyWriter(database)({ ...old, principal: 'ada', request: 'newer' });
    expect(replyFor('acme', 'ada', 'k')).toMatchObject({ principal: 'ada', request: 'newer' });
  });

  it('leaves the file as it was when a migration fails', () => {
    const { native, database } = emptyDatabase();
    migrate(database, 'x', [FIRST]);
    expect(() => migrate(database, 'x', [FIRST, SECOND, 'nonsense'])).toThrow(/syntax error/);
    expect(native.prepare('SELECT name FROM fruit').all()).toEqual([]);
    expect(schemaVersion(database, 'x', 1)).toBe(1);
  });

  it('refuses a database of a newer version and says what to do', () => {
    const { database } = emptyDatabase();
    migrate(database, 'x', [FIRST, SECOND]);
    expect(() => migrate(database, '/data/baton.db', [FIRST])).toThrow(
      /\/data\/baton\.db has schema version 2, but this Baton knows versions up to 1: start the newer Baton/,
    );
  });

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
