import { isShared } from './memory.ts';

/**
 * The words of memory search. A search finds the same entries in every store, because each store either uses
 * these functions or an index with the same rules, which are those of the tokenizer `unicode61` of SQLite.
 */

/** Characters that the tokenizer treats as part of a word. */
const IN_WORDS = /[\p{L}\p{N}\p{Co}]/u;

/** Marks that the tokenizer skips: they neither end a word nor belong to it. */
const PASSED_OVER = /[\u0300-\u0304\u0306-\u030c\u030f\u0311\u031b\u0323-\u0328\u032d\u032e\u0330\u0331]/u;

/**
 * Entries of a private memory scope up to this version need not be in the index of a store. A search then reads their
 * contents.
 */
export const LOOKED_THROUGH = 64;

/** A version with more rows than this is always indexed, so that a search never reads very many rows. */
const ROWS_LOOKED_THROUGH = 8;

/** Whether rows are added to the index. Most private memory scopes stay so small that they need no index. */
export function isIndexed(scope: string, version: number, rows: number): boolean {
  return isShared(scope) || version > LOOKED_THROUGH || rows > ROWS_LOOKED_THROUGH;
}

/** Whether a content has all of these words, by the same rules as an index. */
export function wordsMatcher(text: string): (content: string) => boolean {
  const phrases = phrasesIn(text).map(spaced);
  return (content) => {
    const words = spaced(content);
    return phrases.every((phrase) => words.includes(phrase));
  };
}

/**
 * The phrases that an entry must have. Text without spaces is one phrase: "a-b" finds "a b", but not "b a".
 * A text without words has no phrases.
 */
export function phrasesIn(text: string): readonly string[] {
  // A null character separates phrases, because it would end a query of SQLite's index.
  return text.split(/[\s\0]+/u).filter((word) => IN_WORDS.test(word));
}

/** The words of a text, each between spaces. */
function spaced(text: string): string {
  return ` ${wordsIn(text).join(' ')} `;
}

/** The words of a text, as an index stores them. */
export function wordsIn(text: string): readonly string[] {
  if (IS_ASCII.test(text)) return text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  let words = '';
  for (const character of text) {
    if (IN_WORDS.test(character)) words += folded(character);
    else if (!PASSED_OVER.test(character)) words += ' ';
  }
  return words.split(' ').filter((word) => word !== '');
}

const IS_ASCII = /^[\0-\x7f]*$/;

/** A search ignores case, and a single mark on a Latin letter. */
function folded(character: string): string {
  const lower = lowerCase(character);
  const [letter = '', mark = '', more] = lower.normalize('NFD');
  if (/[a-z]/.test(letter) && /\p{M}/u.test(mark) && more === undefined) return letter;
  return lower.length === character.length ? lower : character;
}

/**
 * Converts to upper case first, because some letters have two lower-case forms. The dotless i stays as it is.
 */
function lowerCase(character: string): string {
  const upper = character.toUpperCase();
  return (upper.length === character.length && character !== 'ı' ? upper : character).toLowerCase();
}
