import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { snippetsOf } from './every-snippet.ts';
import { NOT_RUN } from './not-run.ts';
import { allPages, ROOT, snippetsIn, textOf } from './pages.ts';

/** Every snippet of every page is in a test, or in the list of those that cannot be. */

/** The pages whose snippets a test takes. */
function testedPages(): readonly string[] {
  return readdirSync(join(ROOT, 'tests'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:test|proof)\.ts$/.test(name))
    .flatMap((name) => [
      ...readFileSync(join(ROOT, 'tests', name), 'utf8').matchAll(/everySnippetOf\(\s*'([^']+)'/g),
    ])
    .map(([, page = '']) => page);
}

describe('the snippets', () => {
  it('of every page are in one test', () => {
    const withSnippets = allPages().filter((page) => snippetsOf(page).length > 0);
    expect([...testedPages()].sort()).toEqual([...withSnippets].sort());
  });

  it('that no test runs still exist, once each', () => {
    const found = NOT_RUN.map(({ page, begins }) => ({
      page,
      begins,
      blocks: snippetsIn(textOf(page)).filter(({ text }) => text.startsWith(begins)).length,
    }));
    expect(found.filter(({ blocks }) => blocks !== 1)).toEqual([]);
  });
});

describe('a page', () => {
  it('gives its snippets with their languages and lines', () => {
    const page = ['Text', '```sh', 'ls', '```', '', '1. A list', '   ```', '   out', '   ```', ''].join('\n');
    expect(snippetsIn(page)).toEqual([
      { language: 'sh', text: 'ls\n', line: 2 },
      { language: '', text: '   out\n', line: 7 },
    ]);
  });

  it('with longer fences may show fences', () => {
    const page = ['````md', '```sh', 'ls', '```', '````'].join('\n');
    expect(snippetsIn(page)).toEqual([{ language: 'md', text: '```sh\nls\n```\n', line: 1 }]);
  });

  it('with a block that is not closed is refused', () => {
    expect(() => snippetsIn('```sh\nls\n')).toThrow('The block in line 1 is not closed.');
  });
});
