import { readFileSync } from 'node:fs';
import { builtinModules, createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { unknownInBrowsers } from './typed-examples.ts';

/** The client runs in a browser, and importing it loads little. */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const ENTRY = join(ROOT, 'packages/client/dist/index.js');

/** The compiled files that importing `file` loads, and the modules of Node among their imports. */
function loadedBy(file: string): { readonly files: readonly string[]; readonly ofNode: readonly string[] } {
  const files = new Set<string>();
  const ofNode: string[] = [];
  const visit = (path: string): void => {
    if (files.has(path)) return;
    files.add(path);
    for (const specifier of importsOf(path)) {
      if (specifier.startsWith('node:') || builtinModules.includes(specifier)) ofNode.push(specifier);
      else visit(resolved(path, specifier));
    }
  };
  visit(file);
  return { files: [...files], ofNode };
}

function importsOf(path: string): readonly string[] {
  const { importedFiles } = ts.preProcessFile(readFileSync(path, 'utf8'), true, true);
  return importedFiles.map(({ fileName }) => fileName);
}

function resolved(from: string, specifier: string): string {
  if (specifier.startsWith('.')) return join(dirname(from), specifier);
  return createRequire(from).resolve(specifier);
}

it('importing the client loads no module of Node, and of other packages only two files', () => {
  const { files, ofNode } = loadedBy(ENTRY);
  expect(ofNode).toEqual([]);
  const others = files
    .map((file) => relative(ROOT, file))
    .filter((file) => !file.startsWith('packages/client/'));
  expect(others).toEqual([
    expect.stringMatching(/^packages\/protocol\/dist\/errors\.js$/),
    expect.stringMatching(/^node_modules\/eventsource-parser\/dist\/index\.c?js$/),
  ]);
});

it('the walk sees modules of Node', () => {
  expect(loadedBy(join(ROOT, 'packages/store-sqlite/dist/in-hand-file.js')).ofNode).toContain('node:fs');
});

it('the sources of the client use no global of Node', () => {
  const sources = loadedBy(ENTRY)
    .files.map((file) => relative(ROOT, file).replace('/dist/', '/src/').replace(/\.js$/, '.ts'))
    .filter((name) => name.startsWith('packages/client/'))
    .map((name) => ({ name, text: readFileSync(join(ROOT, name), 'utf8') }));
  expect(sources.length).toBeGreaterThan(20);
  const planted = {
    name: 'planted.ts',
    text: 'export const key = process.env.KEY ?? Buffer.from(atob(""));',
  };
  expect(unknownInBrowsers([...sources, planted])).toEqual([
    expect.stringContaining("planted.ts: Cannot find name 'process'"),
    expect.stringContaining("planted.ts: Cannot find name 'Buffer'"),
  ]);
});
