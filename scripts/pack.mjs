import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { buildWhenStale } from './build.mjs';
import { inProject } from './project.mjs';
import { parsedOptions, refuse } from './usage.mjs';

/**
 * Packs the packages that users install. `@baton/cli` has the command `baton` as a bundle, so it depends on the
 * database only. The other packages are for programs and tests that use `@baton/client`.
 */

const USAGE = `npm run pack               tarballs of the packages as users install them, in the folder "packed"
npm run pack -- <folder>   the same in another folder`;

const LIBRARIES = ['protocol', 'engine', 'store-sqlite', 'agents', 'client'];

/** The licenses of the packages in the bundle. See scripts/third-party.mjs. */
const LICENSES = 'THIRD-PARTY-LICENSES';

/** Has a compiled part, so it is not in the bundle. The store names its version. */
const NATIVE = 'better-sqlite3';

async function pack(destination) {
  await buildWhenStale();
  mkdirSync(destination, { recursive: true });
  const stages = mkdtempSync(join(tmpdir(), 'baton-pack-'));
  try {
    const folders = [...LIBRARIES.map((name) => stageLibrary(stages, name)), stageCommand(stages)];
    return packAll(folders, resolve(destination));
  } finally {
    rmSync(stages, { recursive: true });
  }
}

function stageLibrary(stages, name) {
  const { private: _, ...manifest } = manifestOf(name);
  const pinned = (packages = {}) =>
    Object.fromEntries(
      Object.entries(packages).map(([other, range]) => [
        other,
        other.startsWith('@baton/') ? manifest.version : range,
      ]),
    );
  const { dependencies, peerDependencies } = manifest;
  return stage(stages, name, ['dist'], {
    ...manifest,
    engines: manifestOf('cli').engines,
    dependencies: pinned(dependencies),
    ...(peerDependencies && { peerDependencies: pinned(peerDependencies) }),
  });
}

function stageCommand(stages) {
  const { name, version, license, type, engines, bin } = manifestOf('cli');
  const description = 'A durable host for multi-agent workflows: the command baton.';
  const dependencies = { [NATIVE]: manifestOf('store-sqlite').dependencies[NATIVE] };
  const files = ['bin', 'bundled'];
  const folder = stage(stages, 'cli', files, {
    name,
    version,
    description,
    license,
    type,
    engines,
    bin,
    files: [...files, 'console', LICENSES],
    dependencies,
  });
  renameSync(join(folder, 'bundled', LICENSES), join(folder, LICENSES));
  cpSync(inProject('apps', 'console', 'dist'), join(folder, 'console'), { recursive: true });
  return folder;
}

function stage(stages, name, contents, manifest) {
  const folder = join(stages, name);
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  cpSync(inProject('LICENSE'), join(folder, 'LICENSE'));
  for (const part of contents) {
    const filter = (file) =>
      !/\.tsbuildinfo$|\.test\.(?:js|d\.ts)(?:\.map)?$|\/bundled\/conformance$/.test(file);
    cpSync(inProject('packages', name, part), join(folder, part), { recursive: true, filter });
  }
  const readme = inProject('packages', name, 'README.md');
  if (existsSync(readme)) cpSync(readme, join(folder, 'README.md'));
  return folder;
}

function packAll(folders, destination) {
  const npm = process.env.npm_execpath;
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', destination, ...folders];
  const [command, all] = npm === undefined ? ['npm', args] : [process.execPath, [npm, ...args]];
  const { status, stdout, stderr } = spawnSync(command, all, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`npm pack ended with exit code ${status}:\n${stderr}`);
  return JSON.parse(stdout).map(({ filename }) => join(destination, filename));
}

function manifestOf(name) {
  return JSON.parse(readFileSync(inProject('packages', name, 'package.json'), 'utf8'));
}

const { positionals } = parsedOptions(USAGE, { allowPositionals: true });
if (positionals.length > 1) refuse('The packages go into one folder.', USAGE);
for (const file of await pack(positionals[0] ?? 'packed')) console.log(file);
