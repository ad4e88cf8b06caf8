import { rmSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { rolldown } from 'rolldown';
import { inProject, ROOT } from './project.mjs';
import { thirdPartyLicenses } from './third-party.mjs';

/**
 * Writes the `baton` command with everything that it imports into a few files, because Node.js needs about a
 * millisecond for each file that it loads, and a host would load two thousand. See packages/cli/bin/entry.mjs.
 */

const FOLDER = inProject('packages', 'cli', 'bundled');

/** What only conformance suites need, and its folder in the bundle. scripts/pack.mjs leaves it out. */
const CONFORMANCE = /packages\/conformance\/dist\//;
const NOT_PACKED = 'conformance/';

/** The command, and the threads that it starts. A thread is started by its file name, so the name is kept. */
const ENTRIES = {
  main: 'packages/cli/dist/main.js',
  'engine-thread': 'packages/server/dist/thread/engine-thread.js',
  'model-thread': 'packages/agents/dist/models/thread/model-thread.js',
  'bundle-thread': 'packages/server/dist/bundles/bundle-thread.js',
  // Beside the others, because an extension has to use the same engine. It is not packed.
  [`${NOT_PACKED}extension`]: 'packages/conformance/dist/index.js',
};

/**
 * Commands that only talk to a host are one file, because each further file takes a millisecond of their start. The files
 * named here import nothing else at once, which tests/terminal/light-start.test.ts checks.
 */
const LIGHT = [
  /packages\/cli\/dist\/(?:main|session|terminal|version|columns|loopback|explain)\.js$/,
  /packages\/cli\/dist\/(?:commands\/(?!serve-command)|live|output|questions|runs)\b/,
  /packages\/cli\/dist\/over-http\/(?:find-host|node-fetch|running-host)\.js$/,
  /packages\/cli\/dist\/settings\/(?:given|output-wishes)\.js$/,
  /packages\/client\/dist\/(?!builder|testing)/,
  /packages\/protocol\/dist\/(?:errors|nearest)\.js$/,
  /packages\/(?:server\/dist\/storage|store-sqlite\/dist)\/left-by-host\.js$/,
  /node_modules\/(?:commander|eventsource-parser)\//,
];

/** Has a compiled part, which is loaded from its own package. */
const NATIVE = ['better-sqlite3'];

/** The file in which the licenses of the bundled packages are. scripts/pack.mjs packs it. */
const LICENSES = 'THIRD-PARTY-LICENSES';

/** The bundle also has helpers of the bundler, whose module has no file. */
function toFile(moduleId) {
  return moduleId.startsWith('\0rolldown/')
    ? inProject('node_modules', 'rolldown', 'package.json')
    : moduleId;
}

export async function bundle(builds) {
  rmSync(FOLDER, { recursive: true, force: true });
  const bundled = await rolldown({
    cwd: ROOT,
    platform: 'node',
    input: ENTRIES,
    external: NATIVE,
    // Only the compiled files, one by one, gain from these imports.
    checks: { ineffectiveDynamicImport: false },
  });
  const { output } = await bundled.write({
    dir: FOLDER,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: ({ moduleIds, facadeModuleId }) =>
      [...moduleIds, facadeModuleId ?? ''].some((id) => CONFORMANCE.test(id))
        ? `${NOT_PACKED}[name]-[hash].js`
        : '[name]-[hash].js',
    codeSplitting: { groups: [{ name: 'light', test: (id) => LIGHT.some((files) => files.test(id)) }] },
  });
  await bundled.close();
  const modules = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
  writeFileSync(join(FOLDER, LICENSES), thirdPartyLicenses(modules.map(toFile)));
  const from = builds.map((file) => [relative(ROOT, file), statSync(file).mtimeMs]);
  writeFileSync(`${FOLDER}/built-from.json`, JSON.stringify(Object.fromEntries(from)));
}
