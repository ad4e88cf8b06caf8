import { fileURLToPath } from 'node:url';
import { spawn } from '@lydell/node-pty';
import xterm from '@xterm/headless';

/** The `baton` command in a real pseudo terminal, whose screen a test can read. */

const BATON = fileURLToPath(new URL('../../packages/cli/bin/baton.js', import.meta.url));

export interface PseudoTerminal {
  /** All lines of the screen and of what was scrolled out of it, without spaces at their ends. */
  lines(): readonly string[];
  /** Resolves when the lines match. Rejects when the command ends before. */
  shows(pattern: RegExp): Promise<void>;
  type(text: string): void;
  resize(columns: number, rows: number): void;
  /** Everything that the command wrote. */
  written(): string;
  /** The exit code, once everything that was written is on the screen. */
  readonly ended: Promise<number>;
}

/** `outTo` is a command that reads the output of the command through a pipe. */
export function inTerminal(
  args: readonly string[],
  {
    columns = 80,
    rows = 40,
    env = {},
    outTo,
  }: { columns?: number; rows?: number; env?: Record<string, string>; outTo?: string } = {},
): PseudoTerminal {
  const screen = new xterm.Terminal({ cols: columns, rows, scrollback: 1000, allowProposedApi: true });
  const [program, given] =
    outTo === undefined
      ? [process.execPath, [BATON, ...args]]
      : ['/bin/sh', ['-c', `"$@" | ${outTo}`, 'sh', process.execPath, BATON, ...args]];
  const pty = spawn(program, given, {
    name: env.TERM ?? 'xterm-256color',
    cols: columns,
    rows,
    env: { PATH: process.env.PATH ?? '', ...env },
  });
  let written = '';
  let pending = Promise.resolve();
  const waiting: { pattern: RegExp; resolve(): void; reject(error: Error): void }[] = [];

  function lines(): readonly string[] {
    const { active } = screen.buffer;
    const all = Array.from(
      { length: active.length },
      (_, row) => active.getLine(row)?.translateToString(true) ?? '',
    );
    return all.slice(0, all.findLastIndex((line) => line !== '') + 1);
  }

  function look(): void {
    for (const one of waiting.splice(0)) {
      if (one.pattern.test(lines().join('\n'))) one.resolve();
      else waiting.push(one);
    }
  }

  pty.onData((data) => {
    written += data;
    pending = pending.then(
      () =>
        new Promise((resolve) =>
          screen.write(data, () => {
            look();
            resolve();
          }),
        ),
    );
  });
  const ended = new Promise<number>((resolve) => {
    pty.onExit(async ({ exitCode }) => {
      await pending;
      for (const { pattern, reject } of waiting.splice(0)) {
        reject(new Error(`The command ended before it showed ${pattern}:\n${lines().join('\n')}`));
      }
      resolve(exitCode);
    });
  });
  return {
    lines,
    shows: (pattern) =>
      new Promise((resolve, reject) => {
        waiting.push({ pattern, resolve, reject });
        look();
      }),
    type: (text) => pty.write(text),
    resize(width, height) {
      screen.resize(width, height);
      pty.resize(width, height);
    },
    written: () => written,
    ended,
  };
}

/** The lines with the parts replaced that differ from run to run: ids, times and addresses. */
export function comparable(lines: readonly string[]): string {
  return lines
    .map((line) =>
      line
        .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<run>')
        .replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, '<time>')
        .replace(/^\d\d:\d\d:\d\d/, '<time>')
        .replace(/ +(\d+\.\d s|\d+ s|\d+ min \d\d s)$/, '  <duration>')
        .replace(/\b(\d+\.\d s|\d+ s|\d+ min \d\d s)\b/g, '<duration>'),
    )
    .join('\n');
}
