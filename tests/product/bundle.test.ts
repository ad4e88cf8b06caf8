import { copyFileSync, mkdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { emptyFolder } from '../empty-folder.ts';

/** Which files the `baton` command is started from. */

const ENTRY = fileURLToPath(new URL('../../packages/cli/bin/entry.mjs', import.meta.url));
const BUILD = 'packages/server/dist/.tsbuildinfo';

/** A project with a compiled package, and a bundle that was made from it. */
async function project() {
  const root = emptyFolder();
  for (const folder of ['cli/bin', 'cli/bundled', 'cli/dist', 'server/dist']) {
    mkdirSync(join(root, 'packages', folder), { recursive: true });
  }
  for (const name of ['bundled', 'dist']) {
    writeFileSync(join(root, 'packages/cli', name, 'main.js'), `exports.name = '${name}';`);
  }
  copyFileSync(ENTRY, join(root, 'packages/cli/bin/entry.mjs'));
  writeFileSync(join(root, BUILD), '');
  const stamp = join(root, 'packages/cli/bundled/built-from.json');
  writeFileSync(stamp, JSON.stringify({ [BUILD]: statSync(join(root, BUILD)).mtimeMs }));
  const { load } = await import(pathToFileURL(join(root, 'packages/cli/bin/entry.mjs')).href);
  return { root, stamp, loaded: async () => (await load()).name };
}

it('starts the bundle, in a project and where only the bundle is installed', async () => {
  const { root, loaded } = await project();
  expect(await loaded()).toBe('bundled');
  rmSync(join(root, BUILD));
  expect(await loaded()).toBe('bundled');
});

it('starts the compiled files when a package was compiled after it was bundled', async () => {
  const { root, loaded } = await project();
  utimesSync(join(root, BUILD), 1, 1);
  expect(await loaded()).toBe('dist');
});

it('starts the compiled files when there is no bundle', async () => {
  const { stamp, loaded } = await project();
  rmSync(stamp);
  expect(await loaded()).toBe('dist');
});
