/** How many columns of a terminal texts take, and texts that are cut to a number of columns. */

const COMBINING = /\p{Mn}|\p{Me}|\u200b|\u200d|[\ufe00-\ufe0f]/u;
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6ff}\u{1f900}-\u{1f9ff}\u{20000}-\u{3fffd}]/u;

function widthOfCharacter(character: string): number {
  if (COMBINING.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}

export function textWidth(text: string): number {
  let width = 0;
  for (const character of text) width += widthOfCharacter(character);
  return width;
}

/** The beginning of the text, with `…` at its end if it was cut. */
export function cutEnd(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  if (columns < 1) return '';
  let kept = '';
  let width = 1;
  for (const character of text) {
    width += widthOfCharacter(character);
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
    width += widthOfCharacter(character);
    if (width > columns) break;
    kept = `${character}${kept}`;
  }
  return `…${kept}`;
}

export function padTo(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - textWidth(text)));
}
