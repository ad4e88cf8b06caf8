import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Alternatives are not dependencies of this project. Each is installed at the first comparison with it. */

/** Undefined if the packages are there or could be installed, else the reason why not. */
export async function whyMissing({ name, folder, versions, afterwards = () => undefined }, progress) {
  const isInstalled = () =>
    Object.entries(versions).every(([packageName, version]) => versionIn(folder, packageName) === version);
  if (isInstalled()) return undefined;
  progress(`installing ${name} into bench/peers, once`);
  mkdirSync(folder, { recursive: true });
  const wanted = { private: true, dependencies: versions };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(wanted, null, 2)}\n`);
  try {
    await install(folder);
    afterwards();
  } catch (error) {
    const lines = String(error.stderr || error.message)
      .trim()
      .split('\n');
    progress(`${name} could not be installed:\n${lines.slice(-8).join('\n')}`);
    return 'could not be installed';
  }
  return isInstalled() ? undefined : 'could not be installed';
}

function versionIn(folder, packageName) {
  const file = join(folder, 'node_modules', packageName, 'package.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).version : undefined;
}

async function install(folder) {
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-progress', '--no-package-lock'];
  await promisify(execFile)('npm', ['install', ...flags], {
    cwd: folder,
    shell: process.platform === 'win32',
    timeout: 300_000,
  });
}
