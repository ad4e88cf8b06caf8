import { characterWidth } from '../output/text-width.ts';

/** Text as the cells of a terminal. A wide character, such as a Chinese one, has a second, empty cell. */

const CONTROL = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Control characters become spaces, so that a name cannot move the cursor of a terminal. */
export function cellsOf(text: string): readonly string[] {
  const cells: string[] = [];
  for (const character of text.replace(/\u200d/g, '').replace(CONTROL, ' ')) {
    const width = characterWidth(character);
    if (width > 0) cells.push(character, ...(width === 2 ? [''] : []));
    else if (cells.length > 0) cells[cells.at(-1) === '' ? cells.length - 2 : cells.length - 1] += character;
  }
  return cells;
}

export function widthOf(text: string): number {
  return cellsOf(text).length;
}

/** At most so many cells; a text that is cut ends with an ellipsis. */
export function cut(text: string, width: number): string {
  const cells = cellsOf(text);
  if (cells.length <= width) return cells.join('');
  const kept = cells.slice(0, Math.max(0, width - 1));
  // The first half of a wide character is dropped with its second half.
  if (cells[kept.length] === '') kept.pop();
  return width < 1 ? '' : `${kept.join('')}…`;
}

/**
 * Lines of at most so many cells, broken at spaces and within long names. Lines after the first are indented. The last
 * of too many lines is cut.
 */
export function wrap(text: string, width: number, most: number): readonly string[] {
  const lines: string[] = [];
  let rest = cellsOf(text).join('').trimEnd();
  while (widthOf(rest) > width && lines.length < most - 1) {
    const fitting = cut(rest, width + 1).slice(0, -1);
    const ends = [...fitting.matchAll(BREAK)].map(({ index }) => index).filter((end) => end > width / 2);
    const line = fitting.slice(0, ends.at(-1) ?? fitting.length);
    lines.push(line.trimEnd());
    rest = `  ${rest.slice(line.length).trimStart()}`;
  }
  return [...lines, cut(rest, width)];
}

/** The places at which a line may end: before a space, and after a sign in a name such as `local.desk.reader`. */
const BREAK = /(?= )|(?<=[.\-/_,])/g;
