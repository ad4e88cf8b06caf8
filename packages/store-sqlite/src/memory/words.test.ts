import { wordsIn } from '@baton/engine/ports';
import BetterSqlite3 from 'better-sqlite3';
import { describe, expect, it } from 'vitest';

/** The words that an FTS5 index finds in each text. */
function indexed(texts: readonly string[]): readonly (readonly string[])[] {
  const native = new BetterSqlite3(':memory:');
  native.exec(
    "CREATE VIRTUAL TABLE texts USING fts5 (text); CREATE VIRTUAL TABLE words USING fts5vocab('texts', 'instance')",
  );
  const add = native.prepare('INSERT INTO texts (rowid, text) VALUES (?, ?)');
  native.transaction(() => texts.forEach((text, index) => void add.run(index, text)))();
  const words = texts.map((): string[] => []);
  const found = native.prepare<[], { term: string; doc: number }>(
    'SELECT term, doc FROM words ORDER BY doc, offset',
  );
  for (const { term, doc } of found.all()) words[doc]?.push(term);
  native.close();
  return words;
}

/** Each assigned character of a range, at the beginning, in the middle and at the end of words. */
function withEach(from: number, to: number): readonly string[] {
  const codes = Array.from({ length: to - from + 1 }, (_, index) => from + index);
  return codes
    .map((code) => String.fromCodePoint(code))
    .filter((character) => !/\p{Cn}/u.test(character))
    .map((character) => `${character}Aé B${character}c d${character}`);
}

/** Characters that this SQLite does not know yet may differ. */
describe('the words of a text', () => {
  it.each([
    ['Latin', 0x01, 0x36f],
    ['Greek', 0x370, 0x37e],
    ['Greek and Cyrillic', 0x380, 0x527],
    ['Latin with marks, and old Greek', 0x1e00, 0x1fff],
    ['punctuation', 0x2000, 0x2064],
    ['Kana', 0x3040, 0x312d],
    ['Han', 0x4e00, 0x5000],
    ['Hangul', 0xac00, 0xb000],
    ['private use', 0xe000, 0xe100],
    ['beyond the first plane', 0x10400, 0x1049d],
  ])('are those of the index: %s', (_, from, to) => {
    const texts = withEach(from, to);
    expect(texts.length).toBeGreaterThan(10);
    expect(texts.map(wordsIn)).toEqual(indexed(texts));
  });

  it.each([
    '',
    ' ',
    '—',
    'plain words',
    'nul\u0000nul',
    '\ud800x',
    'e\u0301te\u0301',
    '\u0301x',
    'İstanbul ıssız',
    'STRASSE straße',
    'ὈΔΥΣΣΕΎΣ',
  ])('are those of the index: "%s"', (text) => {
    expect([wordsIn(text)]).toEqual(indexed([text]));
  });
});
