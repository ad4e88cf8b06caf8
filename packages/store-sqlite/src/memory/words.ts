import { isShared } from './scopes.ts';

/** What the tokenizer of the index takes for a part of a word. */
const IN_WORDS = /[\p{L}\p{N}\p{Co}]/u;

/** Marks that neither end a word nor belong to it, as the tokenizer sees it. */
const PASSED_OVER = /[\u0300-\u0304\u0306-\u030c\u030f\u0311\u031b\u0323-\u0328\u032d\u032e\u0330\u0331]/u;

/** Entries of a private scope up to this version are not in the index: they are quickly looked through. */
export const LOOKED_THROUGH = 64;

/** A version that brings more rows than this is indexed wherever it is, or there could be any number to look through. */
const ROWS_LOOKED_THROUGH = 8;

/** Whether the words of rows are put into the index. Most private scopes never get there, and never pay for it. */
export function isIndexed(scope: string, version: number, rows: number): boolean {
  return isShared(scope) || version > LOOKED_THROUGH || rows > ROWS_LOOKED_THROUGH;
}

/**
 * The full-text query for entries of one scope that have all of these words, or undefined when there are no words.
 * Every word is quoted, so that nothing in it is taken for an operator.
 */
export function wordsQuery(scopeNo: number, text: string): string | undefined {
  const words = askedFor(text);
  if (words.length === 0) return undefined;
  const quoted = words.map((word) => `content : "${word.replaceAll('"', '""')}"`);
  return `scope_no : "${scopeNo}" ${quoted.join(' ')}`;
}

/** Whether a content has all of these words, by the same rules as the index. */
export function wordsMatcher(text: string): (content: string) => boolean {
  const phrases = askedFor(text).map(spaced);
  return (content) => {
    const words = spaced(content);
    return phrases.every((phrase) => words.includes(phrase));
  };
}

/** What stands together in a query has to stand together. */
function askedFor(text: string): readonly string[] {
  // A query of the index ends at its first null character, whatever is quoted.
  return text.split(/[\s\0]+/u).filter((word) => IN_WORDS.test(word));
}

/** The words of a text, each between spaces. */
function spaced(text: string): string {
  return ` ${wordsIn(text).join(' ')} `;
}

/** The words of a text as the index has them. It knows no characters that are newer than its tables. */
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

/** Case does not matter, nor does a single mark on a Latin letter. */
function folded(character: string): string {
  const lower = lowerCase(character);
  const [letter = '', mark = '', more] = lower.normalize('NFD');
  if (/[a-z]/.test(letter) && /\p{M}/u.test(mark) && more === undefined) return letter;
  return lower.length === character.length ? lower : character;
}

/** By way of upper case, as some letters have two lower ones. The dotless i is a letter of its own. */
function lowerCase(character: string): string {
  const upper = character.toUpperCase();
  return (upper.length === character.length && character !== 'ı' ? upper : character).toLowerCase();
}
