import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { npm, told } from './npm.mjs';
import { hashOf, inProject, ROOT, stampOf, withProgress } from './project.mjs';

const stamp = stampOf('ready');

/** Installs the dependencies, unless the same versions are already installed for this version of Node. */
export async function installWhenNeeded() {
  // The database is a native module: another Node version or processor needs another copy of it.
  const wanted = hashOf(
    readFileSync(inProject('package-lock.json')),
    process.platform,
    process.arch,
    process.versions.modules,
  );
  if (stamp.matches(wanted)) return;
  if (!installedAsLocked()) {
    await withProgress('Installing dependencies, once; this takes a minute or two', 'Installed', install);
  }
  if (!databaseLoads()) await withProgress('Preparing the embedded database', 'Prepared', rebuildDatabase);
  stamp.write(wanted);
}

/** Whether npm has already installed the versions of the lock file, according to npm's own record. */
function installedAsLocked() {
  const note = inProject('node_modules', '.package-lock.json');
  if (!existsSync(note)) return false;
  const installed = JSON.parse(readFileSync(note, 'utf8')).packages;
  const locked = JSON.parse(readFileSync(inProject('package-lock.json'), 'utf8')).packages;
  return Object.entries(locked)
    .filter(([path]) => path.startsWith('node_modules/'))
    .every(([path, { version, optional }]) =>
      installed[path] === undefined ? optional === true : installed[path].version === version,
    );
}

function databaseLoads() {
  const attempt = "new (require('better-sqlite3'))(':memory:').close()";
  return spawnSync(process.execPath, ['-e', attempt], { cwd: ROOT, stdio: 'ignore' }).status === 0;
}

/** Goes by npm's exit code, never by its words: those depend on its version, its log level and its language. */
function install() {
  const locked = npm(ROOT, 'ci');
  if (locked.status === 0) return;
  console.error('npm ci failed. Trying npm install, which adds packages that the lock file lacks …');
  const resolved = npm(ROOT, 'install', '--no-save');
  if (resolved.status === 0) return;
  throw new Error(`${told(locked)}\n\n${told(resolved)}\n\n${adviceFor(resolved.output)}`);
}

function rebuildDatabase() {
  const rebuilt = npm(ROOT, 'rebuild', 'better-sqlite3');
  if (!databaseLoads()) throw new Error(`${told(rebuilt)}\n\n${DATABASE_ADVICE}`);
}

function adviceFor(output) {
  if (/prebuild-install|node-gyp|gyp ERR/.test(output)) return DATABASE_ADVICE;
  if (/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT/.test(output)) {
    return 'The dependencies could not be downloaded. Check the network and the proxy settings of npm, and run the command again.';
  }
  return 'The dependencies could not be installed. The output of npm above names the reason.';
}

const DATABASE_ADVICE = `The embedded database (better-sqlite3) could not be installed for Node ${process.versions.node} on ${process.platform}-${process.arch}:
no prebuilt binary could be downloaded, and there is no working C++ compiler to make one here.
Do one of these, then run the command again:
  - let this machine download prebuilt binaries (npm's proxy settings apply), or use an LTS release of Node;
  - install a compiler and Python 3:  Debian, Ubuntu: apt-get install build-essential python3
                                      Alpine: apk add build-base python3
                                      macOS: xcode-select --install
                                      Windows: Visual Studio Build Tools, workload "Desktop development with C++"`;
