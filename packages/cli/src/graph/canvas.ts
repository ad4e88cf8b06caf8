import { cellsOf } from './cells.ts';

/** A sheet of cells on which lines and texts are drawn. */
export interface Canvas {
  /** Writes a text over the cells from this one on. */
  write(x: number, y: number, text: string): void;
  /** Adds a line from one cell to another one in the same row or column. Lines of one net are joined where they meet. */
  line(from: Point, to: Point, net: string): void;
  toLines(): readonly string[];
}

interface Point {
  readonly x: number;
  readonly y: number;
}

const UP = 1;
const DOWN = 2;
const LEFT = 4;
const RIGHT = 8;

const LINES: Readonly<Record<number, string>> = {
  [UP]: '│',
  [DOWN]: '│',
  [UP | DOWN]: '│',
  [LEFT]: '─',
  [RIGHT]: '─',
  [LEFT | RIGHT]: '─',
  [DOWN | RIGHT]: '┌',
  [DOWN | LEFT]: '┐',
  [UP | RIGHT]: '└',
  [UP | LEFT]: '┘',
  [UP | DOWN | RIGHT]: '├',
  [UP | DOWN | LEFT]: '┤',
  [DOWN | LEFT | RIGHT]: '┬',
  [UP | LEFT | RIGHT]: '┴',
  [UP | DOWN | LEFT | RIGHT]: '┼',
};

interface LineCell {
  readonly arms: number;
  readonly net: string;
}

export function canvas(): Canvas {
  const texts: string[][] = [];
  const lines: LineCell[][] = [];

  function arm(x: number, y: number, arms: number, net: string): void {
    lines[y] ??= [];
    const row = lines[y];
    const before = row[x];
    if (before === undefined) row[x] = { arms, net };
    else if (before.net === net) row[x] = { arms: before.arms | arms, net };
    // Where two nets cross, the upright line passes over the other one, so that the crossing does not look like a join.
    else if ((arms & (UP | DOWN)) !== 0) row[x] = { arms, net };
  }

  return {
    write(x, y, text) {
      texts[y] ??= [];
      const row = texts[y];
      cellsOf(text).forEach((cell, at) => {
        row[x + at] = cell;
      });
    },
    line(from, to, net) {
      const upright = from.x === to.x;
      const [first, last] = upright ? [from.y, to.y].sort(byNumber) : [from.x, to.x].sort(byNumber);
      for (let at = first ?? 0; at <= (last ?? 0); at += 1) {
        const back = at === first ? 0 : upright ? UP : LEFT;
        const on = at === last ? 0 : upright ? DOWN : RIGHT;
        if (upright) arm(from.x, at, back | on, net);
        else arm(at, from.y, back | on, net);
      }
    },
    toLines() {
      const height = Math.max(texts.length, lines.length);
      return Array.from({ length: height }, (_, y) => {
        const width = Math.max(texts[y]?.length ?? 0, lines[y]?.length ?? 0);
        const cells = Array.from(
          { length: width },
          (_, x) => texts[y]?.[x] ?? LINES[lines[y]?.[x]?.arms ?? 0] ?? ' ',
        );
        return cells.join('').trimEnd();
      });
    },
  };
}

function byNumber(one: number, other: number): number {
  return one - other;
}
