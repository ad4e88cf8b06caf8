import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, it } from 'vitest';

/**
 * What `npm run …` answers to --help and to options that it does not know. The scripts run in a copy of the project
 * that has neither packages nor installed dependencies: an answer that builds or installs anything fails there.
 */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** These hand options that they do not know on to Vitest and to `baton`, which has to be built for that. */
const HANDING_ON = ['start', 'test', 'cluster'];

const scripts: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(join(ROOT, 'package.json'), 'utf8'),
).scripts;

/** The name of each script of this project, and its file. The others are programs of somebody else. */
const OWN = Object.entries(scripts).flatMap(([name, command]) => {
  const file = /^node (\S+)$/.exec(command)?.[1];
  return file === undefined ? [] : [{ name, file }];
});

const copy = mkdtempSync(join(tmpdir(), 'baton-script-help-'));
afterAll(() => rmSync(copy, { recursive: true }));
for (const folder of ['scripts', 'bench']) {
  const filter = (file: string) => !file.endsWith('node_modules');
  cpSync(join(ROOT, folder), join(copy, folder), { recursive: true, filter });
}

interface Answer {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

function answerOf(file: string, ...options: readonly string[]): Promise<Answer> {
  const child = spawn(process.execPath, [file, ...options], { cwd: copy, stdio: ['ignore', 'pipe', 'pipe'] });
  let [out, err] = ['', ''];
  child.stdout.on('data', (text) => (out += text));
  child.stderr.on('data', (text) => (err += text));
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, out, err })));
}

const command = (name: string) => (['start', 'test'].includes(name) ? `npm ${name}` : `npm run ${name}`);

describe.concurrent('a script of the project', () => {
  it('is each of package.json that is not a program of somebody else', ({ expect }) => {
    const others = Object.keys(scripts).filter((name) => !OWN.some((own) => own.name === name));
    expect(others).toEqual(['build', 'typecheck', 'lint', 'format', 'format:check']);
  });

  it.for(OWN)(
    '$name answers --help with its usage, and builds nothing',
    async ({ name, file }, { expect }) => {
      const { code, out, err } = await answerOf(file, '--help');
      expect({ code, err }).toEqual({ code: 0, err: '' });
      expect(out.startsWith(command(name))).toBe(true);
    },
  );

  it.for(OWN.filter(({ name }) => !HANDING_ON.includes(name)))(
    '$name refuses an option that it does not know',
    async ({ name, file }, { expect }) => {
      const { code, out, err } = await answerOf(file, '--no-such-option');
      expect({ code, out }).toEqual({ code: 2, out: '' });
      const [line, gap, usage] = err.split('\n');
      expect([line, gap]).toEqual(["Unknown option '--no-such-option'.", '']);
      expect(usage?.startsWith(command(name))).toBe(true);
    },
  );

  it('answers -h like --help', async ({ expect }) => {
    const { code, out } = await answerOf('scripts/simulate.mjs', '-h');
    expect({ code, usage: out.slice(0, 16) }).toEqual({ code: 0, usage: 'npm run simulate' });
  });

  it('does not take a time for the simulation of a single seed', async ({ expect }) => {
    const { code, err } = await answerOf('scripts/simulate.mjs', '--seed', '7', '--for', '10m');
    expect(code).toBe(2);
    expect(err).toContain('--seed runs one simulation to its end, so --for cannot be given with it.\n');
  });
});
