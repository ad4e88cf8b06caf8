import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The `baton` command as a script runs it: its input and outputs are pipes. */

const BATON = fileURLToPath(new URL('../../packages/cli/bin/baton.js', import.meta.url));

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export function piped(
  args: readonly string[],
  { input = '', env = {}, cwd }: { input?: string; env?: Record<string, string>; cwd?: string } = {},
): Promise<Ended> {
  const child = spawn(process.execPath, [BATON, ...args], { env: { PATH: process.env.PATH, ...env }, cwd });
  const text = { out: '', err: '' };
  child.stdout.on('data', (chunk) => {
    text.out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    text.err += chunk;
  });
  child.stdin.end(input);
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, ...text })));
}
