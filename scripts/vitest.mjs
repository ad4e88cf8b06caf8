import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installPostgresWhenNeeded } from './postgres-servers.mjs';
import { inProject, ROOT } from './project.mjs';
import { ensureReady } from './ready.mjs';
import { installRestateWhenNeeded } from './restate-server.mjs';
import { installBrowserWhenNeeded } from './test-browser.mjs';

/** Installs and builds what the tests need. */
export async function readyForTests() {
  await ensureReady();
  await installBrowserWhenNeeded();
  await installPostgresWhenNeeded();
  await installRestateWhenNeeded();
}

/** Runs Vitest, and returns its exit code and what its reporter has recorded under the name. */
export async function runVitest(options, { record: name, ...env }) {
  const file = inProject('.cache', 'tests', `${name}.json`);
  rmSync(file, { force: true });
  const vitest = inProject('node_modules', 'vitest', 'vitest.mjs');
  // A process of tests ends without stopping the host that its files have shared.
  const temporary = mkdtempSync(join(env.BATON_PROOF === '1' ? tmpdir() : quickFolder(), 'baton-tests-'));
  // The servers of Postgres run as another user.
  chmodSync(temporary, 0o711);
  const status = await new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [vitest, 'run', ...options], {
      cwd: ROOT,
      stdio: 'inherit',
      env: { ...process.env, TMPDIR: temporary, BATON_ALWAYS_REFOLD: '1', BATON_RECORD: name, ...env },
    });
    child.on('error', reject);
    child.on('exit', (code) => resolve(code ?? 1));
  });
  rmSync(temporary, { recursive: true, force: true, maxRetries: 3 });
  return { status, record: recordIn(file) };
}

/**
 * A folder in memory where there is one with room, in which programs may run: `npm test` kills processes, but cuts no
 * power, so no disk has to be waited for.
 */
function quickFolder() {
  const mount = existsSync('/proc/mounts')
    ? readFileSync('/proc/mounts', 'utf8')
        .split('\n')
        .find((line) => line.split(' ')[1] === IN_MEMORY)
    : undefined;
  if (mount === undefined || mount.split(' ')[3].split(',').includes('noexec')) return tmpdir();
  const { bavail, bsize } = statfsSync(IN_MEMORY);
  return bavail * bsize > ROOM_FOR_TESTS ? IN_MEMORY : tmpdir();
}

const IN_MEMORY = '/dev/shm';
const ROOM_FOR_TESTS = 4 * 1024 ** 3;

function recordIn(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}
