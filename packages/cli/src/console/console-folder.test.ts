import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { consoleFolder } from './console-folder.ts';

function project(...files: string[]): string {
  const root = mkdtempSync(join(tmpdir(), 'baton-console-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const file of files) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), '');
  }
  return root;
}

/** The compiled file, and the bundle, which is one folder higher. */
const CODE = ['packages/cli/dist/console/console-folder.js', 'packages/cli/bundled/main.js'];

it.each(CODE)('is found from %s, in the project and in an installed package', (code) => {
  const inProject = project('apps/console/dist/index.html');
  expect(consoleFolder(pathToFileURL(join(inProject, code)).href)).toBe(join(inProject, 'apps/console/dist'));
  const installed = project('packages/cli/console/index.html');
  expect(consoleFolder(pathToFileURL(join(installed, code)).href)).toBe(
    join(installed, 'packages/cli/console'),
  );
});

it('is absent when the console was not built', () => {
  const root = project('apps/console/dist/assets/x.js');
  expect(consoleFolder(pathToFileURL(join(root, CODE[0]!)).href)).toBeUndefined();
});
