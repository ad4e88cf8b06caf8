/** How many columns of a terminal texts take, and texts that are cut to a number of columns. */

/** Marks on the character before them, signs that join characters, and the later parts of a Korean syllable. */
const NO_COLUMN = /[\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff]/u;
/** A flag is two letters, each of which takes one column. */
const FLAG_LETTER = /[\u{1f1e6}-\u{1f1ff}]/u;
const WIDE =
  /[\p{Emoji_Presentation}\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1b000}-\u{1b2fb}\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6ff}\u{1f900}-\u{1f9ff}\u{20000}-\u{3fffd}]/u;
/** Most texts have only characters of one column, and are measured often. */
const ONLY_NARROW = /^[\x20-\x7e]*$/;

export function characterWidth(character: string): 0 | 1 | 2 {
  if (NO_COLUMN.test(character)) return 0;
  return WIDE.test(character) && !FLAG_LETTER.test(character) ? 2 : 1;
}

export function textWidth(text: string): number {
  if (ONLY_NARROW.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += characterWidth(character);
  return width;
}

/** The beginning of the text, with `…` at its end if it was cut. */
export function cutEnd(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  if (columns < 1) return '';
  let kept = '';
  let width = 1;
  for (const character of text) {
    width += characterWidth(character);
    if (width > columns) break;
    kept += character;
  }
  return `${kept}…`;
}

/** The end of the text, with `…` at its beginning if it was cut. */
export function cutStart(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  if (columns < 1) return '';
  let kept = '';
  let width = 1;
  for (const character of [...text].reverse()) {
    width += characterWidth(character);
    if (width > columns) break;
    kept = `${character}${kept}`;
  }
  return `…${kept}`;
}

export function padTo(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - textWidth(text)));
}
