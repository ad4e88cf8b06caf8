import { textWidth } from '../output/text-width.ts';

/** The part of a terminal that the painter uses. `process.stdout` is one. */
interface Screen {
  readonly columns?: number;
  readonly rows?: number;
  write(text: string): unknown;
}

/** Draws lines over the ones that it drew before. Only lines that changed are written, so that ssh stays calm. */
interface Painter {
  draw(lines: readonly string[]): void;
  /** Draws the lines for the last time. Everything that is written later comes below them. */
  finish(lines: readonly string[]): void;
}

/** Also written when the command ends unexpectedly. */
export const SHOW_CURSOR = '\x1b[?25h';
const HIDE_CURSOR = '\x1b[?25l';
const CLEAR_BELOW = '\x1b[J';
const CLEAR_REST = '\x1b[K';

export function painterOn(screen: Screen): Painter {
  let drawn: readonly string[] = [];
  let columns = screen.columns;

  function draw(lines: readonly string[]): void {
    const rows = screen.rows ?? 24;
    const shown = fitting(lines, rows - 1);
    if (columns !== screen.columns) redraw(shown);
    else update(shown);
    drawn = shown;
  }

  /** A terminal that became narrower has wrapped the lines, so they take more rows than there were lines. */
  function redraw(lines: readonly string[]): void {
    columns = screen.columns;
    const rows = drawn.reduce((sum, line) => sum + rowsOf(line, columns ?? 80), 0);
    screen.write(`${up(rows)}${CLEAR_BELOW}${lines.map((line) => `${line}\n`).join('')}`);
  }

  function update(lines: readonly string[]): void {
    if (lines.length === drawn.length && lines.every((line, index) => line === drawn[index])) return;
    let text = drawn.length === 0 ? HIDE_CURSOR : up(drawn.length);
    lines.forEach((line, index) => {
      text += line === drawn[index] ? '\n' : `${line}${CLEAR_REST}\n`;
    });
    screen.write(lines.length < drawn.length ? `${text}${CLEAR_BELOW}` : text);
  }

  return {
    draw,
    finish(lines) {
      const rows = drawn.reduce((sum, line) => sum + rowsOf(line, screen.columns ?? 80), 0);
      screen.write(`${up(rows)}${CLEAR_BELOW}${lines.map((line) => `${line}\n`).join('')}${SHOW_CURSOR}`);
      drawn = [];
    },
  };
}

function up(rows: number): string {
  return rows === 0 ? '\r' : `\r\x1b[${rows}A`;
}

function rowsOf(line: string, columns: number): number {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours take no columns.
  const width = textWidth(line.replace(/\x1b\[[0-9;]*m/g, ''));
  return Math.max(1, Math.ceil(width / columns));
}

/** Lines above the screen cannot be drawn again, so a tree that is too tall shows its head and its newest lines. */
function fitting(lines: readonly string[], rows: number): readonly string[] {
  const HEAD = 2;
  if (lines.length <= rows || rows <= HEAD + 1) return lines.slice(0, Math.max(rows, 1));
  const newest = rows - HEAD - 1;
  const hidden = lines.length - HEAD - newest;
  return [...lines.slice(0, HEAD), `   … ${hidden} lines above`, ...lines.slice(-newest)];
}
