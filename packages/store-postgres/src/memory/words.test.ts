import { type MemoryChange, wordsMatcher } from '@baton/engine/ports';
import { afterAll, expect, it } from 'vitest';
import { seededRandom } from '../../../../tests/durability/random.ts';
import { carry, contents, layers, write } from '../../../conformance/src/store-contract/example-memory.ts';
import { openExample } from '../../testing/example-rows.ts';
import { stopServers } from '../../testing/postgres-server.ts';
import type { Database } from '../database/database.ts';
import { postgresReads } from '../reads.ts';
import { selfOf } from '../self.ts';
import { changeMemory } from './memory-writer.ts';

afterAll(stopServers);

const LONG = 'long'.repeat(50);
const WORDS = [
  'plan',
  'Plan',
  'pläne',
  'fox',
  'fox-trot',
  'trot',
  'it’s',
  'ß',
  '東京',
  '3',
  '',
  LONG,
  `${LONG}er`,
  "o'n",
];

async function change(database: Database, ...changes: readonly MemoryChange[]): Promise<void> {
  const results = await database.transaction((queries) =>
    Promise.all(changes.map((change) => changeMemory(queries, change))),
  );
  expect(results.every((stored) => stored)).toBe(true);
}

it.each(['scope:s', 'run:a'])('are found in %s wherever the contents have them', async (scope) => {
  const database = await openExample();
  const reads = postgresReads(database, selfOf(0));
  const { next } = seededRandom(11);
  const some = (most: number) =>
    Array.from(
      { length: 1 + Math.floor(next() * most) },
      () => WORDS[Math.floor(next() * WORDS.length)],
    ).join(next() < 0.8 ? ' ' : '-');
  const written = Array.from({ length: 100 }, () => some(6));
  await change(database, ...written.map((content, at) => write(scope, at + 1, `k${at}`, { content })));
  const view = layers([scope, written.length]);
  for (let tries = 0; tries < 60; tries += 1) {
    const text = some(3);
    const matches = /[\p{L}\p{N}]/u.test(text) ? wordsMatcher(text) : () => false;
    const expected = [...written].reverse().filter(matches);
    expect(await contents(reads, view, { text, limit: 999 })).toEqual(expected);
    expect(await contents(reads, view, { text, limit: 2 })).toEqual(expected.slice(0, 2));
  }
});

it('are found in an entry that has more of them than the index has room for', async () => {
  const database = await openExample();
  const reads = postgresReads(database, selfOf(0));
  const content = Array.from({ length: 100_000 }, (_, n) => `word${n}`).join(' ');
  await change(
    database,
    write('scope:s', 1, 'large', { content }),
    write('scope:s', 2, 'small', { content: 'word7' }),
  );
  const { count } = (await database.row<{ count: number }>(
    'SELECT count(*) FROM entries WHERE words IS NULL',
  )) ?? { count: 0 };
  expect(count).toBe(1);
  const view = layers(['scope:s', 2]);
  expect(await contents(reads, view, { text: 'word7' })).toEqual(['word7', content]);
  expect(await contents(reads, view, { text: 'word99999' })).toEqual([content]);
  expect(await contents(reads, view, { text: 'word100000' })).toEqual([]);
});

it('are those of their own scope, also after they were carried to another one', async () => {
  const database = await openExample();
  await change(
    database,
    write('scope:s', 1, 'x', { content: 'plan' }),
    write('run:a', 1, 'y', { content: 'fox' }),
    carry('scope:t', 1, 'scope:s', 1),
    carry('scope:t', 2, 'run:a', 1),
  );
  const stored = await database.rows(
    'SELECT name, words::text FROM entries JOIN scopes USING (scope_no) ORDER BY entry_no',
  );
  const numberOf = async (name: string) =>
    (await database.row<{ no: number }>('SELECT scope_no AS no FROM scopes WHERE name = $1', name))?.no;
  const [own, other] = [await numberOf('scope:s'), await numberOf('scope:t')];
  expect(stored).toEqual([
    { name: 'scope:s', words: `'${own}:plan'` },
    { name: 'run:a', words: null },
    { name: 'scope:t', words: `'${other}:plan'` },
    { name: 'scope:t', words: `'${other}:fox'` },
  ]);
});
