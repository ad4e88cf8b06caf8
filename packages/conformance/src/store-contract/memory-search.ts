import { describe, expect, it } from 'vitest';
import { carry, contents, forget, layers, memorySlice, write } from './example-memory.ts';
import { T0 } from './example-slices.ts';
import { fresh, type StoreFactory, type StoreUnderTest } from './under-test.ts';

/** A scope that several runs share, and a scope that belongs to one run. */
const SCOPES = ['scope:notes', 'run:a'];

async function notes(factory: StoreFactory, scope: string): Promise<StoreUnderTest> {
  const opened = await fresh(factory);
  await opened.store.commit([
    memorySlice(
      write(scope, 1, 'a_b', { content: 'The quick brown fox', tags: ['fox', 'x'] }),
      write(scope, 2, 'a%b', { content: 'A quick answer: use scope_no "OR" content*', tags: ['fo'] }),
      write(scope, 3, 'axb', { content: 'brown bread — crème brûlée', tags: ["it's"] }),
      write(scope, 4, 'añb', { content: '{"json":"fox-trot"}', tags: ['FOX'] }),
      write(`${scope}.1`, 1, 'a', { content: 'quick brown fox elsewhere', tags: ['fox'] }),
    ),
    memorySlice(write(scope, 1, 'theirs', { tenant: 'other', content: 'quick fox', tags: ['fox'] })),
  ]);
  return opened;
}

export function memorySearchContract(factory: StoreFactory): void {
  describe.each(SCOPES)('in %s', (scope) => searchesOf(factory, scope));

  it('finds words in all layers, whoever may write to them', async () => {
    const { store, reads } = await fresh(factory);
    await store.commit([
      memorySlice(
        write('scope:s', 1, 'x', { content: 'low plan' }),
        write('scope:s', 2, 'y', { content: 'low plan two' }),
        write('scope:s', 3, 'z', { content: 'plan nine' }),
        write('run:a', 1, 'w', { content: 'middle plan' }),
        write('run:a', 2, 'y', { content: 'middle idea' }),
        write('run:a.1', 1, 'v', { content: 'top plan' }),
        forget('run:a.1', 2, 'z'),
      ),
    ]);
    const view = layers(['run:a.1', 2], ['run:a', 2], ['scope:s', 3]);
    expect(await contents(reads, view, { text: 'plan' })).toEqual(['top plan', 'middle plan', 'low plan']);
    expect(await contents(reads, view, { text: 'plan', limit: 2 })).toEqual(['top plan', 'middle plan']);
    const turned = layers(['scope:s', 3], ['run:a', 2]);
    expect(await contents(reads, turned, { text: 'plan' })).toEqual([
      'plan nine',
      'low plan two',
      'low plan',
      'middle plan',
    ]);
  });

  it.each([
    ['run:a.1', 'scope:s'],
    ['scope:s', 'run:a.1'],
    ['run:a.1', 'run:a'],
  ])('finds words that were carried from %s to %s', async (from, to) => {
    const { store, reads } = await fresh(factory);
    await store.commit([
      memorySlice(
        write(from, 1, 'x', { content: 'first plan' }),
        write(from, 2, 'y', { content: 'second plan' }),
        carry(to, 1, from, 2),
        write(to, 2, 'x', { content: 'no longer' }),
      ),
    ]);
    expect(await contents(reads, layers([to, 2]), { text: 'plan' })).toEqual(['second plan']);
    expect(await contents(reads, layers([to, 1]), { text: 'plan' })).toEqual(['second plan', 'first plan']);
  });

  it.each(SCOPES)('finds words in %s however much is carried to it or written to it', async (scope) => {
    const { store, reads } = await fresh(factory);
    const many = Array.from({ length: 150 }, (_, index) => index + 1);
    await store.commit([
      memorySlice(...many.map((version) => write('run:b', version, `b${version}`, { content: 'carried' }))),
      memorySlice(
        write(scope, 1, 'early', { content: 'plan' }),
        carry(scope, 2, 'run:b', many.length),
        ...many.map((version) => write(scope, version + 2, `k${version}`, { content: `plan ${version}` })),
        write(scope, many.length + 3, 'early', { content: 'gone' }),
      ),
    ]);
    const now = layers([scope, many.length + 3]);
    const newestFirst = [...many].reverse().map((version) => `plan ${version}`);
    expect(await contents(reads, now, { text: 'plan', limit: 999 })).toEqual(newestFirst);
    expect(await contents(reads, now, { text: 'plan', limit: 5 })).toEqual(newestFirst.slice(0, 5));
    expect(await contents(reads, now, { text: 'carried', limit: 999 })).toHaveLength(many.length);
    expect(await contents(reads, layers([scope, 3]), { text: 'plan' })).toEqual(['plan 1', 'plan']);
    expect(await contents(reads, layers([scope, 100]), { text: 'plan 98' })).toEqual(['plan 98']);
    expect(await contents(reads, layers([scope, 100]), { text: 'plan 99' })).toEqual([]);
  });
}

function searchesOf(factory: StoreFactory, scope: string): void {
  const view = layers([scope, 4]);

  it.each([
    ['fox', ['a_b']],
    ['fo', ['a%b']],
    ['FOX', ['añb']],
    ["it's", ['axb']],
    ['f', []],
    ['', []],
    ['%', []],
  ])('finds the tag "%s" exactly', async (tag, expected) => {
    const { reads } = await notes(factory, scope);
    const found = await reads.memory({ tenant: 'acme', view: view, now: 0, limit: 9, tag });
    expect(found.map((row) => row.id)).toEqual(expected);
  });

  it.each([
    ['a', ['añb', 'axb', 'a%b', 'a_b']],
    ['a_', ['a_b']],
    ['a%', ['a%b']],
    ['añ', ['añb']],
    ['A', []],
    ['axbc', []],
  ])('finds ids that begin with "%s", taken literally', async (prefix, expected) => {
    const { reads } = await notes(factory, scope);
    const found = await reads.memory({ tenant: 'acme', view: view, now: 0, limit: 9, prefix });
    expect(found.map((row) => row.id)).toEqual(expected);
  });

  it.each([
    ['quick', ['a%b', 'a_b']],
    ['QUICK', ['a%b', 'a_b']],
    ['fox quick', ['a_b']],
    ['fox-trot', ['añb']],
    ['fox', ['añb', 'a_b']],
    ['qui', []],
    ['quick bread', []],
  ])('finds the words "%s"', async (text, expected) => {
    const { reads } = await notes(factory, scope);
    const found = await reads.memory({ tenant: 'acme', view: view, now: 0, limit: 9, text });
    expect(found.map((row) => row.id)).toEqual(expected);
  });

  it.each([
    '',
    ' ',
    '"',
    '""',
    '!!!',
    'quick*',
    'quick OR bread',
    'quick NOT fox',
    'NEAR(quick fox)',
    'content : quick',
    'scope_no : 2',
    '2',
    '{scope_no content} : elsewhere',
    'elsewhere',
    '^quick"',
    '(quick',
    'quick\u0000" OR "bread',
    '-',
    '\ud800',
    "'; DROP TABLE entries; --",
    'x '.repeat(2000),
  ])('takes "%s" for words, never for a query', async (text) => {
    const { reads } = await notes(factory, scope);
    const operatorsAsWords: Record<string, string[]> = {
      'quick*': ['A quick answer: use scope_no "OR" content*', 'The quick brown fox'],
      '^quick"': ['A quick answer: use scope_no "OR" content*', 'The quick brown fox'],
      '(quick': ['A quick answer: use scope_no "OR" content*', 'The quick brown fox'],
      'content : quick': ['A quick answer: use scope_no "OR" content*'],
    };
    expect(await contents(reads, view, { text })).toEqual(operatorsAsWords[text] ?? []);
  });

  it.each([
    ['creme brulee', ['brown bread — crème brûlée']],
    ['CRÈME', ['brown bread — crème brûlée']],
    ['brûlée bread', ['brown bread — crème brûlée']],
    ['bru\u0302le\u0301e', ['brown bread — crème brûlée']],
    ['trot-fox', []],
    ['scope_no', ['A quick answer: use scope_no "OR" content*']],
    ['no_scope', []],
  ])('knows the words of "%s" whatever they are written with', async (text, expected) => {
    const { reads } = await notes(factory, scope);
    expect(await contents(reads, view, { text })).toEqual(expected);
  });

  it('finds words together with a tag, an id, a beginning, and only until they expire', async () => {
    const { store, reads } = await notes(factory, scope);
    await store.commit([
      memorySlice(write(scope, 5, 'aged', { content: 'quick', tags: ['x'], expiresAt: T0 + 900 })),
    ]);
    const later = layers([scope, 5]);
    const quick = { text: 'quick', now: T0 + 899 };
    expect(await contents(reads, later, { ...quick, tag: 'x' })).toEqual(['quick', 'The quick brown fox']);
    expect(await contents(reads, later, { ...quick, id: 'aged' })).toEqual(['quick']);
    expect(await contents(reads, later, { ...quick, prefix: 'a_' })).toEqual(['The quick brown fox']);
    expect(await contents(reads, later, { ...quick, tag: 'x', now: T0 + 900 })).toEqual([
      'The quick brown fox',
    ]);
  });
}
