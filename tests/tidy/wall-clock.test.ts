import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

/**
 * In `npm test` the machine does not decide whether a test passes: clocks are injected, or a test waits for what should
 * happen. A test that must measure time is named `*.proof.ts`.
 */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Waits for all others. */
const WAITS = ['tests/eventually.ts'];

const FORBIDDEN: Readonly<Record<string, RegExp>> = {
  'measures time': /\bperformance\s*\.\s*now\b|\bDate\.now\(\)\s*-(?!\s*[\d_]+\b)|\bhrtime\b/,
  'sleeps: inject a clock, or wait for what should happen':
    /new Promise\b[^;]{0,80}\bsetTimeout\b|\btimers\/promises'|\bAtomics\.wait\(|waitForTimeout\(/,
  'limits a wait: use expect.poll without options, or eventually':
    /\bvi\.wait(?:For|Until)\(|\.poll\((?:(?!\.to[A-Z])[^;])*?\b(?:timeout|interval):/,
  'has less time than other tests':
    /['`], \{ timeout: (?:[1-5]?\d_000|\d{1,4}) \}, (?:async )?\(|^\}, (?:[1-5]?\d_000|\d{1,4})\);$/m,
};

function problemsIn(text: string): readonly string[] {
  return Object.keys(FORBIDDEN).filter((name) => FORBIDDEN[name]?.test(text));
}

/** The tests of `npm test`, and every file of ours that they import and that is not part of the product. */
function filesOfTests(): readonly string[] {
  const left = ['tests', 'packages', 'apps'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.test.ts') && !/(?:^|\/)(?:node_modules|dist)\//.test(name))
      .map((name) => join(ROOT, folder, name)),
  );
  const found = new Set<string>();
  for (let file = left.pop(); file !== undefined; file = left.pop()) {
    if (found.has(file)) continue;
    found.add(file);
    for (const [, specifier] of readFileSync(file, 'utf8').matchAll(/ from '(\.[^']+\.ts)'/g)) {
      const other = resolve(dirname(file), specifier!);
      const isOfTests =
        relative(ROOT, other).startsWith('tests/') || /\/(?:testing|testkit|store-contract)\//.test(other);
      if (isOfTests && existsSync(other)) left.push(other);
    }
  }
  return [...found].map((file) => relative(ROOT, file));
}

it('no test of npm test depends on the time that something takes', () => {
  const files = filesOfTests().filter((file) => !WAITS.includes(file) && !file.startsWith('tests/tidy/'));
  expect(files.length).toBeGreaterThan(500);
  const problems = files.flatMap((file) =>
    problemsIn(readFileSync(join(ROOT, file), 'utf8')).map((problem) => `${file} ${problem}`),
  );
  expect(problems).toEqual([]);
});

describe('the rule', () => {
  it.each([
    ['const began = performance.now();'],
    ['expect(Date.now() - began).toBeLessThan(3000);'],
    ['await new Promise((resolve) => setTimeout(resolve, 50));'],
    ['const pause = (ms: number) =>\n  new Promise((resolve) => {\n    setTimeout(resolve, ms);\n  });'],
    ["import { setTimeout } from 'node:timers/promises';"],
    ['await vi.waitFor(() => expect(a).toBe(1), { timeout: 100 });'],
    ['await expect.poll(() => a, { timeout: 100 }).toBe(1);'],
    ['await expect\n  .poll(\n    () => ask(),\n    { interval: 5 },\n  )\n  .toBe(1);'],
    ["it('is quick', { timeout: 20_000 }, async () => {"],
    ['}, 5000);'],
  ])('refuses %s', (text) => {
    expect(problemsIn(text)).toHaveLength(1);
  });

  it.each([
    ['const later = Date.now() - 60_000;'],
    ['await new Promise((resolve) => setImmediate(resolve));'],
    ['await expect.poll(() => a).toBe(1);'],
    ['await expect.poll(() => a).toMatchObject({ timeout: 100 });'],
    ["it('is long', { timeout: 300_000 }, async () => {"],
    ['setTimeout(() => answer(), 5);'],
  ])('allows %s', (text) => {
    expect(problemsIn(text)).toEqual([]);
  });
});
