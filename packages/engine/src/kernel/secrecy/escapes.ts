/**
 * Escapes in JSON texts. Programs choose which characters they escape: `+` is `\u002B` for some and `+` for others,
 * and an escape has upper-case or lower-case digits. A text without escapes can be searched for all of these.
 */

interface Unescaped {
  readonly text: string;
  /** Where the character with this index begins in the given text. The end of the text counts as a character. */
  at(index: number): number;
}

const BACKSLASH = '\\';
const HEX = /^[0-9a-fA-F]{4}$/;

/**
 * Replaces each `\uXXXX` by its character, and `\"` and `\/` by the second character, also where JSON is nested in
 * JSON and has more backslashes. Other escapes stay. An escape at the end of the text that may go on is left out.
 */
export function unescaped(given: string): Unescaped {
  const begins: number[] = [];
  let text = '';
  const keep = (from: number, to: number) => {
    for (let at = from; at < to; at += 1) begins.push(at);
    text += given.slice(from, to);
  };
  let from = 0;
  for (;;) {
    const begin = given.indexOf(BACKSLASH, from);
    if (begin === -1) break;
    keep(from, begin);
    let end = begin + 1;
    while (given[end] === BACKSLASH) end += 1;
    const code = given.slice(end + 1, end + 5);
    if (end === given.length || (given[end] === 'u' && code.length < 4 && end + 5 > given.length)) {
      from = begin;
      return { text, at: (index) => begins[index] ?? from };
    }
    if (given[end] === 'u' && HEX.test(code)) {
      begins.push(begin);
      text += String.fromCharCode(Number.parseInt(code, 16));
      from = end + 5;
    } else if (given[end] === '"' || given[end] === '/') {
      begins.push(begin);
      text += given[end];
      from = end + 1;
    } else {
      keep(begin, end);
      from = end;
    }
  }
  keep(from, given.length);
  return { text, at: (index) => begins[index] ?? given.length };
}
