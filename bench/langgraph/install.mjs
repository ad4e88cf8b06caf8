import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** LangGraph is not a dependency of this project. It is installed at the first comparison. */

const FOLDER = fileURLToPath(new URL('../peers/', import.meta.url));
const VERSIONS = {
  '@langchain/core': '1.2.13',
  '@langchain/langgraph': '1.4.18',
  '@langchain/langgraph-checkpoint-sqlite': '1.0.4',
};

export const LANGGRAPH_VERSION = VERSIONS['@langchain/langgraph'];

/** Undefined if LangGraph can be used, else the reason why not. */
export async function whyNoLangGraph(progress) {
  if (isInstalled()) return undefined;
  progress(`installing LangGraph ${LANGGRAPH_VERSION} into bench/peers, once`);
  mkdirSync(FOLDER, { recursive: true });
  const wanted = { private: true, dependencies: VERSIONS };
  writeFileSync(join(FOLDER, 'package.json'), `${JSON.stringify(wanted, null, 2)}\n`);
  try {
    await install();
  } catch (error) {
    const lines = String(error.stderr || error.message)
      .trim()
      .split('\n');
    progress(`LangGraph could not be installed:\n${lines.slice(-8).join('\n')}`);
    return 'could not be installed';
  }
  return isInstalled() ? undefined : 'could not be installed';
}

async function install() {
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-progress', '--no-package-lock'];
  await promisify(execFile)('npm', ['install', ...flags], {
    cwd: FOLDER,
    shell: process.platform === 'win32',
    timeout: 300_000,
  });
  // Then LangGraph uses the SQLite of this project: it is already built, and both sides use the same version.
  rmSync(join(FOLDER, 'node_modules', 'better-sqlite3'), { recursive: true, force: true });
}

function isInstalled() {
  return Object.entries(VERSIONS).every(([name, version]) => {
    const file = join(FOLDER, 'node_modules', name, 'package.json');
    return existsSync(file) && langGraphRequire()(file).version === version;
  });
}

/** Resolves packages from the folder that they are installed in. */
export function langGraphRequire() {
  return createRequire(join(FOLDER, 'package.json'));
}
