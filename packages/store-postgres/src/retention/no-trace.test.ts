import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { memorySlice, write } from '../../../conformance/src/store-contract/example-memory.ts';
import { birth, record, slice, T0 } from '../../../conformance/src/store-contract/example-slices.ts';
import { completingPlaces } from '../../../conformance/src/store-contract/under-test.ts';
import { openExample } from '../../testing/example-rows.ts';
import { stopServers } from '../../testing/postgres-server.ts';
import { openPostgresStore } from '../open.ts';

afterAll(stopServers);

async function openStore() {
  const database = await openExample();
  const store = await openPostgresStore(database.url, 1);
  onTestFinished(() => store.close());

  /** The number of rows in each table, and the words in the index. */
  async function remains() {
    const count = async (table: string) =>
      (await database.row<{ count: number }>(`SELECT count(*) FROM ${table}`))?.count;
    const counts: Record<string, number | undefined> = {};
    for (const table of ['events', 'checkpoints', 'late_outcomes', 'scopes', 'entries', 'entry_tags'])
      counts[table] = await count(table);
    const found = await database.rows<{ word: string }>(
      `SELECT DISTINCT split_part(word, ':', 2) AS word FROM entries, unnest(tsvector_to_array(words)) AS word`,
    );
    return { counts, words: found.map(({ word }) => word) };
  }
  return { store: completingPlaces(store), remains };
}

const MANY = Array.from({ length: 70 }, (_, index) => index + 1);

describe('what was removed', () => {
  it('is nowhere to be found after its tree was purged', async () => {
    const { store, remains } = await openStore();
    const checkpoint = { sequence: 1, foldVersion: 1, state: '{}' };
    const lateOutcome = { key: 'a/n/1', runId: 'a', outcome: { kind: 'done' }, at: T0 };
    await store.commit([
      birth(record('a'), 2, { status: 'completed', savedState: checkpoint }),
      // So many entries that some of them are in the index.
      memorySlice(
        ...MANY.map((version) => write('run:a', version, 'x', { content: 'secret plan', tags: ['t'] })),
      ),
      slice('a', [], { lateOutcome }),
    ]);
    expect((await remains()).words).toEqual(expect.arrayContaining(['secret', 'plan']));
    expect(await store.purgeTrees(T0 + 1, 5)).toBe(1);
    expect(await remains()).toEqual({
      counts: { events: 0, checkpoints: 0, late_outcomes: 0, scopes: 0, entries: 0, entry_tags: 0 },
      words: [],
    });
  });

  it('is nowhere to be found after memory was pruned, and the rest still is', async () => {
    const { store, remains } = await openStore();
    await store.commit([
      memorySlice(
        write('scope:s', 1, 'x', { content: 'secret plan', tags: ['t'] }),
        write('scope:s', 2, 'x', { content: 'open plan', tags: ['t'] }),
      ),
    ]);
    expect(await store.pruneMemory(T0 + 100, 5)).toBe(1);
    const { counts, words } = await remains();
    expect(counts).toMatchObject({ scopes: 1, entries: 1, entry_tags: 1 });
    expect(words.sort()).toEqual(['open', 'plan']);
  });

  it('is nowhere to be found after a run was erased, whether its words were indexed or not', async () => {
    const { store, remains } = await openStore();
    await store.commit([
      birth(record('a'), 1, { status: 'completed' }),
      memorySlice(
        ...MANY.map((version) => write('run:a', version, `x${version}`, { content: 'secret', tags: ['t'] })),
        write('scope:s', 1, 'x', { content: 'secret' }),
        write('scope:s', 2, 'y', { content: 'open', by: { runId: 'b' } }),
      ),
    ]);
    expect((await remains()).words).toContain('secret');
    const proof = { links: ['link'], remains: '', keyId: 'k', signature: 's' };
    await store.eraseRun({ runId: 'a', at: T0, by: 'ada', reason: 'asked', from: 0, ...proof }, ['erased']);
    await store.eraseShared('acme', 'a');
    const { counts, words } = await remains();
    expect(counts).toMatchObject({ entries: 72, entry_tags: 0 });
    expect(words).toEqual(['open']);
  });
});
