import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { hashOf, inProject, ROOT, stampOf, withProgress } from './project.mjs';

const stamp = stampOf('built');

/** Compiles and bundles the packages if a source file has changed since the last successful build. */
export async function buildWhenStale() {
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
  const shared = ['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.base.json'];
  return [
    ...shared.map((name) => inProject(name)),
    ...packages().flatMap((folder) => [
      join(folder, 'package.json'),
      join(folder, 'tsconfig.json'),
      ...readdirSync(join(folder, 'src'), { recursive: true })
        .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
        .sort()
        .map((name) => join(folder, 'src', name)),
    ]),
  ];
}

/** Uses size and time instead of the content, so that a start does not read all source files. */
function describe(file) {
  const { size, mtimeMs } = statSync(file);
  return `${relative(ROOT, file)} ${size} ${mtimeMs}`;
}
