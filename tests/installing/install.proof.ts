import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';

/** The scripts in a project of its own, installed with an npm that the test writes or with the real one. */

let project: string;

beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'baton-install-'));
  cpSync(fileURLToPath(new URL('../../scripts', import.meta.url)), join(project, 'scripts'), {
    recursive: true,
  });
  mkdirSync(join(project, 'node_modules'));
  writeFileSync(join(project, 'package.json'), '{"name": "project", "version": "1.0.0"}');
  writeFileSync(join(project, 'package-lock.json'), '{"lockfileVersion": 3, "packages": {}}');
});

afterEach(() => rmSync(project, { recursive: true }));

it('falls back to `npm install` when `npm ci` fails without a word', () => {
  const npm = npmThat(`
    if (command === 'ci') process.exit(1);
    if (command === 'install') putDatabase();
  `);
  const { status } = install({ npm_execpath: npm });
  expect(commandsGivenTo(npm)).toEqual(['ci', 'install']);
  expect(status).toBe(0);
});

it('is content with `npm ci` when it works, whatever it says', () => {
  const npm = npmThat(`
    console.error('npm warn EUSAGE: the lock file and package.json are not in sync');
    putDatabase();
  `);
  const { status } = install({ npm_execpath: npm });
  expect(commandsGivenTo(npm)).toEqual(['ci']);
  expect(status).toBe(0);
});

it('explains a failure of both with all that npm printed', () => {
  const npm = npmThat(`
    console.error('reason of ' + command);
    for (let line = 0; line < 100; line += 1) console.error('usage');
    process.exit(1);
  `);
  const { status, stderr } = install({ npm_execpath: npm });
  expect(status).toBe(1);
  expect(stderr).toContain('reason of ci');
  expect(stderr).toContain('reason of install');
});

it('explains a lock file that npm refuses under `npm start --silent` too', () => {
  writeFileSync(
    join(project, 'package.json'),
    '{"name": "project", "version": "1.0.0", "dependencies": {"absent": "file:./absent.tgz"}}',
  );
  const { status, stderr } = install({ npm_config_loglevel: 'silent', npm_config_offline: 'true' });
  expect(status).toBe(1);
  expect(stderr).toMatch(/npm ci ended with exit code \d+:\nnpm /);
  expect(stderr).toContain('absent');
});

function install(environment: Readonly<Record<string, string>>) {
  const program = "import('./scripts/install.mjs').then(({ installWhenNeeded }) => installWhenNeeded())";
  return spawnSync(process.execPath, ['-e', program], {
    cwd: project,
    encoding: 'utf8',
    env: { ...process.env, ...environment },
  });
}

/** An npm that notes its command and then does as the body says. */
function npmThat(body: string): string {
  const file = join(project, 'npm-cli.js');
  writeFileSync(
    file,
    `const fs = require('node:fs');
     const command = process.argv[2];
     fs.appendFileSync(${JSON.stringify(`${file}.calls`)}, command + '\\n');
     function putDatabase() {
       fs.mkdirSync('node_modules/better-sqlite3', { recursive: true });
       fs.writeFileSync('node_modules/better-sqlite3/index.js', 'module.exports = class { close() {} }');
     }
     ${body}`,
  );
  return file;
}

function commandsGivenTo(npm: string): readonly string[] {
  return readFileSync(`${npm}.calls`, 'utf8').trim().split('\n');
}
