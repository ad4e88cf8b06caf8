import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { REQUIREMENTS } from './requirements.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const ID =
  /\b(?:LOOP|HAND|MAP|CONF|MEM|XHOST|REPLAY|STATE|VERIFY|LIVE|ATTEST|SCOPE|CAP|FAIL|SCEN|SEAM|READ)-\d\d\b/g;
/** Titles of tests, and rows of tables that become titles. */
const TITLE = /(?:\bit(?:\.each)?|\bdescribe)\s*\(|\]\s*\)?\s*\(\s*['"`]|^\s*\[\s*['"`]/;

function testFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return ['node_modules', 'dist'].includes(entry.name) ? [] : testFiles(path);
    return entry.name.endsWith('.test.ts') ? [path] : [];
  });
}

function idsByFile(): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const file of [...testFiles(join(ROOT, 'packages')), ...testFiles(join(ROOT, 'tests'))]) {
    for (const line of readFileSync(file, 'utf8').split('\n')) {
      if (!TITLE.test(line) && !/^\s*['"`]/.test(line)) continue;
      for (const [id] of line.matchAll(ID)) {
        found.set(id, (found.get(id) ?? new Set()).add(relative(ROOT, file)));
      }
    }
  }
  return found;
}

describe('requirements', () => {
  const named = idsByFile();

  it.each(Object.entries(REQUIREMENTS))('%s has a test: %s', (id) => {
    expect([...(named.get(id) ?? [])]).not.toEqual([]);
  });

  it('are all in the manifest when a test names them', () => {
    expect([...named.keys()].filter((id) => !(id in REQUIREMENTS))).toEqual([]);
  });
});
