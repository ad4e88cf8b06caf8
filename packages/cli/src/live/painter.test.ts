import xterm from '@xterm/headless';
import { expect, it } from 'vitest';
import { painterOn } from './painter.ts';

/** A screen of the given size, with what was written to it. */
function screenOf(columns: number, rows: number) {
  const terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true, convertEol: true });
  const written: string[] = [];
  return {
    written,
    get columns() {
      return terminal.cols;
    },
    get rows() {
      return terminal.rows;
    },
    write: (text: string) => {
      written.push(text);
      terminal.write(text);
    },
    /** What stands on the screen, and above it, once everything written was drawn. */
    async text(): Promise<string> {
      await new Promise<void>((done) => terminal.write('', done));
      const { active } = terminal.buffer;
      const lines = Array.from({ length: active.length }, (_, row) =>
        active.getLine(row)?.translateToString(true),
      );
      return lines.join('\n').trimEnd();
    },
    async resize(width: number, height: number): Promise<void> {
      await new Promise<void>((done) => terminal.write('', done));
      terminal.resize(width, height);
    },
  };
}

it('writes only the lines that changed', async () => {
  const screen = screenOf(20, 10);
  const painter = painterOn(screen);
  painter.draw(['one', 'two', 'three']);
  painter.draw(['one', 'two', 'three']);
  expect(screen.written).toHaveLength(1);
  painter.draw(['one', 'TWO', 'three', 'four']);
  expect(screen.written.at(-1)).not.toMatch(/one|three/);
  expect(await screen.text()).toBe('one\nTWO\nthree\nfour');
  painter.draw(['one']);
  expect(await screen.text()).toBe('one');
  painter.finish(['the', 'end']);
  expect(await screen.text()).toBe('the\nend');
});

it.each([
  [40, 10],
  [10, 10],
  [7, 12],
])('leaves nothing behind when the terminal gets %i columns', async (columns, rows) => {
  const screen = screenOf(20, 10);
  const painter = painterOn(screen);
  painter.draw(['a line of 19 columns', 'short', '\x1b[31mred, of 18 columns\x1b[39m'].map((line) => line));
  await screen.resize(columns, rows);
  painter.draw(['now', 'this']);
  expect(await screen.text()).toBe('now\nthis');
  painter.finish(['now', 'that']);
  expect(await screen.text()).toBe('now\nthat');
});

it('shows the head and the newest lines of a tree that is taller than the screen', async () => {
  const screen = screenOf(20, 6);
  const painter = painterOn(screen);
  const lines = Array.from({ length: 12 }, (_, index) => `line ${index}`);
  painter.draw(lines);
  painter.draw(lines);
  expect(await screen.text()).toBe('line 0\nline 1\n   … 8 lines above\nline 10\nline 11');
  painter.finish(lines);
  expect(await screen.text()).toBe(lines.join('\n'));
});
