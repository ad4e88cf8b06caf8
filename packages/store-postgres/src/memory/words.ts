import { phrasesIn, wordsIn } from '@baton/engine/ports';

/**
 * The index of words is a GIN index over lexemes that we make: `<number of the memory scope>:<word>`, so that a search
 * never reads another memory scope. Postgres neither stems nor drops words.
 */

/** A lexeme has room for 2046 bytes, and a character has at most four. Longer words are compared in the contents. */
const LONGEST = 128;

/** A `tsvector` has room for 1 MB. */
const MOST_BYTES = 1_000_000;

/** For the number of the scope in a lexeme. */
const SCOPE_BYTES = 20;

/** More words would hardly make a search more exact. The contents are compared with all of them. */
const MOST_ASKED = 64;

/** The words of a content for `SCOPED_WORDS`; null if the index has no room for them. */
export function indexedWords(content: string): string | null {
  const words = [...new Set(wordsIn(content).map(cut))];
  const bytes = words.reduce((sum, word) => sum + Buffer.byteLength(word) + SCOPE_BYTES, 0);
  return bytes > MOST_BYTES ? null : words.join(' ');
}

/** The value of `entries.words`, from an expression for the number of the scope and one for the words. */
export function scopedWords(scopeNo: string, words: string): string {
  return `array_to_tsvector(ARRAY(
    SELECT ${scopeNo} || ':' || word FROM unnest(string_to_array(${words}, ' ')) AS word))`;
}

/** The same, from the words of an entry of another scope. */
export function rescopedWords(scopeNo: string, words: string): string {
  return `array_to_tsvector(ARRAY(
    SELECT ${scopeNo} || substr(word, strpos(word, ':')) FROM unnest(tsvector_to_array(${words})) AS word))`;
}

interface WordsQuery {
  /** A `tsquery`. */
  readonly query: string;
  /** Whether all entries that it finds have the phrases. Otherwise their contents must be compared. */
  readonly isExact: boolean;
}

/** The query for entries of one memory scope that have all of these words, or undefined if there are no words. */
export function wordsQuery(scopeNo: number, text: string): WordsQuery | undefined {
  const phrases = phrasesIn(text).map(wordsIn);
  const words = [...new Set(phrases.flat())];
  if (words.length === 0) return undefined;
  // A word consists of letters and digits only, so nothing in it ends the quotes.
  const lexemes = words.slice(0, MOST_ASKED).map((word) => `'${scopeNo}:${cut(word)}'`);
  const isExact =
    words.length <= MOST_ASKED &&
    phrases.every((phrase) => phrase.length === 1) &&
    words.every((word) => word === cut(word));
  return { query: lexemes.join(' & '), isExact };
}

function cut(word: string): string {
  return word.length <= LONGEST ? word : [...word].slice(0, LONGEST).join('');
}
