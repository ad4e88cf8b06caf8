import { join } from 'node:path';
import { StorageFullError } from '@baton/engine/ports';
import BetterSqlite3 from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  advanced,
  birth,
  events,
  record,
  slice,
  T0,
} from '../../../conformance/src/store-contract/example-slices.ts';
import { completingPlaces } from '../../../conformance/src/store-contract/under-test.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { asDatabase } from '../database/native.ts';
import { sqliteReads } from '../reads.ts';
import { sqliteStore } from '../store.ts';

const LARGE = 'x'.repeat(20_000);

/** A store whose file cannot grow until `makeRoom` is called. */
async function fullStore() {
  const native = new BetterSqlite3(join(temporaryFolder(), 'baton.db'));
  const database = asDatabase(native);
  const store = completingPlaces(sqliteStore(database, 'x'));
  onTestFinished(() => store.close());
  await store.commit([birth(record('a'), 3)]);
  // Migrations leave free pages, which the store could still use.
  native.exec('VACUUM');
  const pages = native.pragma('page_count', { simple: true });
  native.pragma(`max_page_count = ${pages}`);
  const makeRoom = () => native.pragma('max_page_count = 1000000');
  return { store, reads: sqliteReads(database, 'x'), makeRoom };
}

describe('a full disk', () => {
  it('refuses the whole group and keeps what was stored', async () => {
    const { store, reads } = await fullStore();
    const group = [slice('a', [advanced('a', 3, 1)]), birth(record('b'), 0, { events: [LARGE] })];
    await expect(store.commit(group)).rejects.toThrow(StorageFullError);
    expect(await reads.events('acme', 'a', 0, 10)).toEqual(events('a', 0, 3));
    expect(await reads.run('acme', 'b')).toBeUndefined();
  });

  it('takes the same group when there is room again', async () => {
    const { store, reads, makeRoom } = await fullStore();
    const group = [slice('a', [advanced('a', 3, 1)]), birth(record('b'), 0, { events: [LARGE] })];
    await expect(store.commit(group)).rejects.toThrow(StorageFullError);
    makeRoom();
    expect(await store.commit(group)).toEqual(['committed', 'committed']);
    expect(await reads.events('acme', 'a', 0, 10)).toEqual(events('a', 0, 4));
    expect(await reads.events('acme', 'b', 0, 10)).toEqual([LARGE]);
  });

  it('is reported by every other write as well', async () => {
    const { store, makeRoom } = await fullStore();
    const workflow = { tenant: 'acme', id: 'w', digest: 'd', definition: LARGE, createdAt: T0 };
    const key = { id: 'k', hash: 'h', tenant: 'acme', principal: LARGE, scopes: [], createdAt: T0 };
    await expect(store.putWorkflow(workflow)).rejects.toThrow(StorageFullError);
    await expect(store.putKey(key)).rejects.toThrow(StorageFullError);
    makeRoom();
    expect(await store.putWorkflow(workflow)).toEqual({ version: 1, created: true });
    await store.putKey(key);
  });

  it('is noticed by a check before anybody has tried to write', async () => {
    const { store, makeRoom } = await fullStore();
    await expect(store.checkWritable()).rejects.toThrow(StorageFullError);
    makeRoom();
    await store.checkWritable();
  });

  it('is told from a failing disk, which is passed on', async () => {
    const { store } = await fullStore();
    await store.close();
    await expect(store.commit([birth(record('b'))])).rejects.not.toThrow(StorageFullError);
  });
});
