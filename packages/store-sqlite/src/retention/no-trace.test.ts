import BetterSqlite3 from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { memorySlice, write } from '../../../conformance/src/store-contract/example-memory.ts';
import { birth, record, slice, T0 } from '../../../conformance/src/store-contract/example-slices.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { databaseFile } from '../data-folder.ts';
import { openSqliteStore } from '../open.ts';

/** The number of rows in each table, the words in the index, and the result of an integrity check. */
function remains(folder: string) {
  const native = new BetterSqlite3(databaseFile(folder));
  const count = (table: string) => native.prepare(`SELECT count(*) FROM ${table}`).pluck().get();
  const tables = ['events', 'checkpoints', 'late_outcomes', 'scopes', 'entries', 'entry_tags'];
  native.exec("CREATE VIRTUAL TABLE temp.words USING fts5vocab('main', 'entry_words', 'row')");
  const words = native.prepare('SELECT term FROM temp.words').pluck().all();
  const damage = native.pragma('integrity_check', { simple: true });
  const counts = Object.fromEntries(tables.map((table) => [table, count(table)]));
  native.close();
  return { counts, words, damage };
}

function openStore() {
  const folder = temporaryFolder();
  const store = openSqliteStore(folder);
  onTestFinished(() => store.close());
  return { folder, store };
}

describe('what was removed', () => {
  it('is nowhere to be found after its tree was purged', async () => {
    const { folder, store } = openStore();
    const checkpoint = { sequence: 1, foldVersion: 1, state: '{}' };
    const lateOutcome = { key: 'a/n/1', runId: 'a', outcome: { kind: 'done' }, at: T0 };
    await store.commit([
      birth(record('a'), 2, { status: 'completed', savedState: checkpoint }),
      memorySlice(
        write('run:a', 1, 'x', { content: 'secret plan', tags: ['t'] }),
        write('run:a', 2, 'x', { content: 'other plan', tags: ['t', 'u'] }),
        // So many entries that some of them are in the index.
        ...Array.from({ length: 70 }, (_, index) =>
          write('run:a', index + 3, 'x', { content: `secret plan ${index}` }),
        ),
      ),
      slice('a', [], { lateOutcome }),
    ]);
    expect(remains(folder).words).toEqual(expect.arrayContaining(['secret', 'plan']));
    expect(await store.purgeTrees(T0 + 1, 5)).toBe(1);
    // One empty row keeps the position of the newest event, so that no later event gets it again.
    expect(remains(folder)).toEqual({
      counts: { events: 1, checkpoints: 0, late_outcomes: 0, scopes: 0, entries: 0, entry_tags: 0 },
      words: [],
      damage: 'ok',
    });
  });

  it('is nowhere to be found after memory was pruned, and the rest still is', async () => {
    const { folder, store } = openStore();
    await store.commit([
      memorySlice(
        write('scope:s', 1, 'x', { content: 'secret plan', tags: ['t'] }),
        write('scope:s', 2, 'x', { content: 'open plan', tags: ['t'] }),
      ),
    ]);
    expect(await store.pruneMemory(T0 + 100, 5)).toBe(1);
    const { counts, words, damage } = remains(folder);
    expect(counts).toMatchObject({ scopes: 1, entries: 1, entry_tags: 1 });
    expect(words).not.toContain('secret');
    expect(words).toEqual(expect.arrayContaining(['open', 'plan']));
    expect(damage).toBe('ok');
  });

  it('is nowhere to be found after a run was erased, whether its words were indexed or not', async () => {
    const { folder, store } = openStore();
    const many = Array.from({ length: 70 }, (_, index) => index + 1);
    await store.commit([
      birth(record('a'), 1, { status: 'completed' }),
      memorySlice(
        ...many.map((version) => write('run:a', version, `x${version}`, { content: 'secret', tags: ['t'] })),
        write('scope:s', 1, 'x', { content: 'secret' }),
        write('scope:s', 2, 'y', { content: 'open', by: { runId: 'b' } }),
      ),
    ]);
    expect(remains(folder).words).toContain('secret');
    const proof = { links: ['link'], remains: '', keyId: 'k', signature: 's' };
    await store.eraseRun({ runId: 'a', at: T0, by: 'ada', reason: 'asked', from: 0, ...proof }, ['erased']);
    await store.eraseShared('acme', 'a');
    const { counts, words, damage } = remains(folder);
    expect(counts).toMatchObject({ entries: 72, entry_tags: 0 });
    expect(words).not.toContain('secret');
    expect(words).toContain('open');
    expect(damage).toBe('ok');
  });
});
