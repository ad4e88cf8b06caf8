import { rmSync, statSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { rolldown } from 'rolldown';
import { inProject, ROOT } from './project.mjs';

/**
 * Writes the `baton` command with everything that it imports into a few files, because Node.js needs about a
 * millisecond for each file that it loads, and a host would load two thousand. See packages/cli/bin/entry.mjs.
 */

const FOLDER = inProject('packages', 'cli', 'bundled');

/** The command, and the threads that it starts. A thread is started by its file name, so the name is kept. */
const ENTRIES = {
  main: 'packages/cli/dist/main.js',
  'engine-thread': 'packages/server/dist/thread/engine-thread.js',
  'model-thread': 'packages/agents/dist/models/thread/model-thread.js',
  'reader-thread': 'packages/server/dist/imports/reader-thread.js',
};

/** Has a compiled part, which is loaded from its own package. */
const NATIVE = ['better-sqlite3'];

export async function bundle(builds) {
  rmSync(FOLDER, { recursive: true, force: true });
  const bundled = await rolldown({ cwd: ROOT, platform: 'node', input: ENTRIES, external: NATIVE });
  await bundled.write({
    dir: FOLDER,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
  });
  await bundled.close();
  const from = builds.map((file) => [relative(ROOT, file), statSync(file).mtimeMs]);
  writeFileSync(`${FOLDER}/built-from.json`, JSON.stringify(Object.fromEntries(from)));
}
