import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { spawn as spawnInTerminal } from '@lydell/node-pty';
import { afterAll, beforeAll, expect, it } from 'vitest';

/** A conversation in a real terminal. */

const BATON = fileURLToPath(new URL('../../bin/baton.js', import.meta.url));
const EXAMPLES = fileURLToPath(new URL('../../../../examples', import.meta.url));

let folder: string;
let host: ChildProcess;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'baton-chat-'));
  const args = ['serve', '--port', '0', '--agents', EXAMPLES];
  host = spawn(process.execPath, [BATON, ...args], { cwd: folder, env: { PATH: process.env.PATH } });
  await new Promise<void>((resolve, reject) => {
    let out = '';
    host.stdout?.on('data', (chunk) => {
      out += chunk;
      if (/npx baton inbox.*\n/.test(out)) resolve();
    });
    host.on('close', () => reject(new Error(`the host ended: ${out}`)));
  });
}, 60_000);

afterAll(() => {
  host.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

it('shows each reply below its message, and how to go on later', async () => {
  const agent = 'local.research-team.critic';
  const terminal = spawnInTerminal(process.execPath, [BATON, 'chat', agent], {
    cols: 200,
    rows: 50,
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', TERM: 'xterm', NO_COLOR: '1' },
  });
  let screen = '';
  const waiting: { pattern: RegExp; resolve: () => void }[] = [];
  terminal.onData((text) => {
    screen += text;
    for (const { pattern, resolve } of waiting) if (pattern.test(screen)) resolve();
  });
  const shown = (pattern: RegExp) =>
    new Promise<void>((resolve) => {
      waiting.push({ pattern, resolve });
      if (pattern.test(screen)) resolve();
    });
  const ended = new Promise<number>((resolve) => terminal.onExit(({ exitCode }) => resolve(exitCode)));

  await shown(/you › /);
  terminal.write('Is it grounded?\r');
  await shown(/critic › \{[^\r]*\}\r\n[\s\S]*you › /);
  terminal.write('And now?\r');
  await shown(/And now\?\s+[\s\S]*critic › \{[^\r]*\}\r\n[\s\S]*you › /);
  terminal.write('\r');
  expect(await ended).toBe(0);
  expect(screen).toContain(`A conversation with ${agent}.`);
  expect(screen).toMatch(new RegExp(`Go on later: baton chat ${agent} --conversation [0-9a-f-]{36}`));
  // A reply is shown once, although it comes in parts and then as a whole.
  expect(screen.match(/"verdict"/g)).toHaveLength(2);
});
