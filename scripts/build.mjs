import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { buildConsole, consoleIsBuilt, consoleSources } from './console.mjs';
import { hashOf, inProject, ROOT, stampOf, withProgress } from './project.mjs';

const stamp = stampOf('built');
const consoleStamp = stampOf('console');

/** Builds the packages and the console, each if one of its files has changed since its last successful build. */
export async function buildWhenStale() {
  await buildPackagesWhenStale();
  await buildConsoleWhenStale();
}

/** The console contains the client and the protocol. */
async function buildConsoleWhenStale() {
  const contained = ['client', 'protocol'].flatMap((name) => filesOf(inProject('packages', name)));
  const sources = hashOf(
    ...[inProject('package-lock.json'), ...contained, ...consoleSources()].map(describe),
  );
  if (consoleStamp.matches(sources) && consoleIsBuilt()) return;
  await withProgress('Building the console', 'Built the console', buildConsole);
  consoleStamp.write(sources);
}

async function buildPackagesWhenStale() {
  const sources = hashOf(...sourceFiles().map(describe));
  if (stamp.matches(sources) && everythingIsBuilt()) return;
  await withProgress('Building', 'Built', async () => {
    const tsc = inProject('node_modules', 'typescript', 'bin', 'tsc');
    const result = spawnSync(process.execPath, [tsc, '-b'], { cwd: ROOT, encoding: 'utf8' });
    if (result.status !== 0)
      throw new Error(`${result.stdout}${result.stderr}\nThe build failed; see above.`);
    // Imported here, because it imports a package that may not have been installed when this file was loaded.
    const { bundle } = await import('./bundle.mjs');
    await bundle(builds());
  });
  stamp.write(sources);
}

function packages() {
  return readdirSync(inProject('packages'))
    .map((name) => inProject('packages', name))
    .filter((folder) => existsSync(join(folder, 'tsconfig.json')));
}

function everythingIsBuilt() {
  return [...builds(), inProject('packages', 'cli', 'bundled', 'built-from.json')].every((file) =>
    existsSync(file),
  );
}

function builds() {
  return packages().map((folder) => join(folder, 'dist', '.tsbuildinfo'));
}

function sourceFiles() {
  const bundling = ['scripts/bundle.mjs', 'scripts/third-party.mjs'];
  const shared = ['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.base.json', ...bundling];
  return [...shared.map((name) => inProject(name)), ...packages().flatMap(filesOf)];
}

function filesOf(folder) {
  return [
    join(folder, 'package.json'),
    join(folder, 'tsconfig.json'),
    ...readdirSync(join(folder, 'src'), { recursive: true })
      .filter((name) => name.endsWith('.ts') && !/\.(?:test|proof)\.ts$/.test(name))
      .sort()
      .map((name) => join(folder, 'src', name)),
  ];
}

/** Uses size and time instead of the content, so that a start does not read all source files. */
function describe(file) {
  const { size, mtimeMs } = statSync(file);
  return `${relative(ROOT, file)} ${size} ${mtimeMs}`;
}
