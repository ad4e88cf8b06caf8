import { expect, it } from 'vitest';
import { contents, layers, memorySlice, write } from './example-memory.ts';
import { fresh, type StoreFactory, type StoreUnderTest } from './under-test.ts';

const SCOPE = 'scope:notes';
const VIEW = layers([SCOPE, 4]);

async function notes(factory: StoreFactory): Promise<StoreUnderTest> {
  const opened = await fresh(factory);
  await opened.store.commit([
    memorySlice(
      write(SCOPE, 1, 'a_b', { content: 'The quick brown fox', tags: ['fox', 'x'] }),
      write(SCOPE, 2, 'a%b', { content: 'A quick answer: use scope_no "OR" content*', tags: ['fo'] }),
      write(SCOPE, 3, 'axb', { content: 'brown bread — crème brûlée', tags: ["it's"] }),
      write(SCOPE, 4, 'añb', { content: '{"json":"fox-trot"}', tags: ['FOX'] }),
      write('scope:other', 1, 'a', { content: 'quick brown fox elsewhere', tags: ['fox'] }),
    ),
    memorySlice(write(SCOPE, 1, 'theirs', { tenant: 'other', content: 'quick fox', tags: ['fox'] })),
  ]);
  return opened;
}

export function memorySearchContract(factory: StoreFactory): void {
  it.each([
    ['fox', ['a_b']],
    ['fo', ['a%b']],
    ['FOX', ['añb']],
    ["it's", ['axb']],
    ['f', []],
    ['', []],
    ['%', []],
  ])('finds the tag "%s" exactly', async (tag, expected) => {
    const { reads } = await notes(factory);
    const found = reads.memory({ tenant: 'acme', view: VIEW, now: 0, limit: 9, tag });
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
    const { reads } = await notes(factory);
    const found = reads.memory({ tenant: 'acme', view: VIEW, now: 0, limit: 9, prefix });
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
    const { reads } = await notes(factory);
    const found = reads.memory({ tenant: 'acme', view: VIEW, now: 0, limit: 9, text });
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
    const { reads } = await notes(factory);
    const operatorsAsWords: Record<string, string[]> = {
      'quick*': ['A quick answer: use scope_no "OR" content*', 'The quick brown fox'],
      '^quick"': ['A quick answer: use scope_no "OR" content*', 'The quick brown fox'],
      '(quick': ['A quick answer: use scope_no "OR" content*', 'The quick brown fox'],
      'content : quick': ['A quick answer: use scope_no "OR" content*'],
    };
    expect(contents(reads, VIEW, { text })).toEqual(operatorsAsWords[text] ?? []);
  });
}
