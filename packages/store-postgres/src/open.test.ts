import { expect, it } from 'vitest';
import { newDatabase } from '../testing/postgres-server.ts';
import { openPostgresReads, prepareDatabase, using } from './open.ts';

const POSITION = 'SELECT pg_current_xact_id()::text::bigint + xid_offset AS number FROM host';

it('goes on behind the positions of a database that comes from a server with more transactions', async () => {
  const url = await newDatabase();
  await prepareDatabase(url);
  await using(url, async (database) => {
    const before = await database.row<{ number: number }>(POSITION);
    expect(before?.number).toBeLessThan(1_000_000_000);
    await database.run(
      "INSERT INTO commits (xid, host_no, n, run_nos, firsts, counts) VALUES (900000000000, 1, 1, '{}', '{}', '{}')",
    );
    await prepareDatabase(url);
    const after = await database.row<{ number: number }>(POSITION);
    expect(after?.number).toBeGreaterThan(900_000_000_000);
    // A database that stays where it is keeps its positions.
    const { offset } =
      (await database.row<{ offset: number }>('SELECT xid_offset AS offset FROM host')) ?? {};
    await prepareDatabase(url);
    expect(await database.row('SELECT xid_offset AS offset FROM host')).toEqual({ offset });
  });
});

it('says which database cannot be reached, without its password, and what to do', async () => {
  const message = await prepareDatabase('postgres://baton:hidden@127.0.0.1:1/runs').catch(String);
  expect(message).toContain('postgres://127.0.0.1:1/runs cannot be reached');
  expect(message).toContain('correct BATON_DATABASE_URL');
  expect(message).not.toContain('hidden');
});

it('finds nothing for a name with U+0000, which no text of Postgres has', async () => {
  const url = await newDatabase();
  await prepareDatabase(url);
  const reads = await openPostgresReads(url);
  expect(await reads.run('acme', 'a\0b')).toBeUndefined();
  await reads.close();
});
