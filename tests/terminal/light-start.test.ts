import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

/** Commands that only talk to a host load little, because loading is nearly all of the time that they take. */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const CLI = join(ROOT, 'packages/cli/dist');

/** The compiled files that importing these files loads at once. What is imported later, in a function, is left out. */
function loadedBy(...entries: readonly string[]): readonly string[] {
  const files = new Set<string>();
  const others = new Set<string>();
  const visit = (path: string): void => {
    if (files.has(path)) return;
    files.add(path);
    const imports = readFileSync(path, 'utf8').matchAll(
      /^(?:import|export)(?:[^'";=]*\sfrom)?\s*['"]([^'"]+)['"]/gm,
    );
    for (const [, specifier = ''] of imports) {
      if (specifier.startsWith('.')) visit(join(dirname(path), specifier));
      else if (specifier.startsWith('@baton/')) visit(createRequire(path).resolve(specifier));
      else if (!specifier.startsWith('node:')) others.add(specifier);
    }
  };
  for (const entry of entries) visit(join(CLI, entry));
  return [...[...files].map((file) => relative(ROOT, file)), ...others];
}

const LIGHT = [/^packages\/cli\//, /^packages\/client\//, /^commander$/, /^eventsource-parser$/];
const ALSO_LIGHT = [
  'packages/protocol/dist/errors.js',
  'packages/protocol/dist/nearest.js',
  'packages/protocol/dist/status.js',
  'packages/server/dist/storage/left-by-host.js',
  'packages/store-sqlite/dist/left-by-host.js',
];

describe.each([
  ['every command', ['main.js']],
  ['baton runs', ['main.js', 'session.js', 'runs/list-runs.js']],
  ['baton run --watch', ['main.js', 'session.js', 'runs/start-run.js']],
  ['baton approve', ['main.js', 'session.js', 'questions/decide.js']],
  ['a failing command', ['main.js', 'session.js', 'output/report-failure.js']],
])('%s', (_, entries) => {
  it('loads no file of a large package', () => {
    const files = loadedBy(...entries);
    const heavy = files.filter(
      (file) => !LIGHT.some((light) => light.test(file)) && !ALSO_LIGHT.includes(file),
    );
    expect(heavy).toEqual([]);
    expect(files.length).toBeGreaterThan(10);
    expect(files.length).toBeLessThan(90);
  });
});

it('the bundle of the small commands is one file, which loads no other part of the bundle', () => {
  const parts = loadedBy('../bundled/main.js').map((file) => basename(file).replace(/-[\w-]{8}\.js$/, '.js'));
  expect(parts).toEqual(['main.js', 'light.js', 'rolldown-runtime.js']);
});

it('the walk sees what serve loads', () => {
  expect(loadedBy('commands/serve-command.js')).toContain('packages/protocol/dist/index.js');
});

it('asks the host without loading the fetch of Node.js', () => {
  const tell =
    'data:text/javascript,process.on("exit",()=>console.error(process.moduleLoadList.join("\\n")))';
  const baton = join(ROOT, 'packages/cli/bin/baton.js');
  const args = ['--import', tell, baton, 'runs', '--url', 'http://127.0.0.1:1', '--key', 'k'];
  const { status, stderr } = spawnSync(process.execPath, args, {
    encoding: 'utf8',
    env: { PATH: process.env.PATH },
  });
  expect(status).toBe(5);
  expect(stderr).toMatch(/NativeModule http$/m);
  expect(stderr).not.toContain('undici/undici');
});
