import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';

/** The packages as npm packs them. */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const NAMES = readdirSync(join(ROOT, 'packages')).filter((name) => name !== 'conformance');
const ATTW = join(ROOT, 'node_modules/@arethetypeswrong/cli/dist/index.js');

interface Packed {
  readonly name: string;
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

let folder: string;
let packed: readonly Packed[];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'baton-packed-'));
  const workspaces = NAMES.flatMap((name) => ['-w', `packages/${name}`]);
  const { stdout, stderr } = npm('pack', '--json', '--pack-destination', folder, ...workspaces);
  if (stdout === '') throw new Error(stderr);
  packed = JSON.parse(stdout);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function npm(...given: readonly string[]) {
  return spawnSync('npm', [...given], { cwd: ROOT, encoding: 'utf8' });
}

function packageNamed(name: string): Packed {
  return packed.find((one) => one.name === `@baton/${name}`)!;
}

describe.each(NAMES)('the package %s', (name) => {
  it('holds what is run and its types, and neither sources nor tests', () => {
    const paths = packageNamed(name).files.map(({ path }) => path);
    const strange = paths.filter(
      (path) => !/^(package\.json|README\.md|(bin|dist)\/.*\.m?js|dist\/.*\.d\.ts)$/.test(path),
    );
    expect(strange).toEqual([]);
    expect(paths.filter((path) => /\.test\./.test(path))).toEqual([]);
    expect(paths.length).toBeGreaterThan(5);
  });

  it('is clean for publint', async () => {
    const file = readFileSync(join(folder, packageNamed(name).filename));
    const tarball = file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength) as ArrayBuffer;
    expect((await publint({ pack: { tarball }, strict: true })).messages).toEqual([]);
  });
});

describe.each(['client', 'protocol'])('the package %s', (name) => {
  it('has types for every way to import it', () => {
    const file = join(folder, packageNamed(name).filename);
    const { status, stdout } = spawnSync(
      process.execPath,
      [ATTW, file, '--profile', 'esm-only', '--format', 'json'],
      {
        encoding: 'utf8',
      },
    );
    expect([status, status === 0 ? '' : stdout]).toEqual([0, '']);
  });
});

it('the packed packages start a host and reach it, in a folder without the sources', async () => {
  const project = join(folder, 'project');
  unpackInto(join(project, 'node_modules'));
  const baton = spawn(process.execPath, ['node_modules/@baton/cli/bin/baton.js', 'serve'], {
    cwd: project,
    env: {
      ...process.env,
      BATON_PORT: '0',
      BATON_DATA: join(project, 'data'),
      BATON_API_KEY: 'a-key-for-the-test',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = new Promise((resolve) => baton.once('exit', resolve));
  onTestFinished(async () => {
    baton.kill('SIGKILL');
    await exited;
  });
  const url = await addressIn(baton);
  const program = `
    import { connect } from '@baton/client';
    console.log(JSON.stringify(await connect({ url: '${url}' }).host.readiness()));`;
  const asked = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    cwd: project,
    encoding: 'utf8',
  });
  expect(asked.stderr).toBe('');
  expect(JSON.parse(asked.stdout)).toMatchObject({ ready: true });
});

/** As if npm had installed the tarballs: our packages as they are packed, and those of others from here. */
function unpackInto(modules: string): void {
  mkdirSync(join(modules, '@baton'), { recursive: true });
  for (const name of NAMES) {
    const target = join(modules, '@baton', name);
    mkdirSync(target);
    const file = join(folder, packageNamed(name).filename);
    const { status } = spawnSync('tar', ['-xzf', file, '--strip-components=1', '-C', target]);
    if (status !== 0) throw new Error(`cannot unpack ${file}`);
  }
  for (const entry of readdirSync(join(ROOT, 'node_modules'))) {
    if (entry !== '@baton') symlinkSync(join(ROOT, 'node_modules', entry), join(modules, entry));
  }
}

function addressIn(host: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = '';
    const read = (chunk: Buffer): void => {
      output += chunk.toString();
      const found = /(?<=address +)http:\/\/127\.0\.0\.1:\d+/.exec(output);
      if (found) resolve(found[0]);
    };
    host.stdout?.on('data', read);
    host.stderr?.on('data', read);
    host.once('exit', (code) => reject(new Error(`the host ended with ${code}: ${output}`)));
  });
}

it('every export of a package is named in its index', () => {
  const wildcards = NAMES.flatMap((name) =>
    readdirSync(join(ROOT, 'packages', name, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((file) => /(^|\/)index\.ts$/.test(file))
      .filter((file) => /^export \*/m.test(readFileSync(join(ROOT, 'packages', name, 'src', file), 'utf8')))
      .map((file) => `${name}/src/${file}`),
  );
  expect(NAMES.length).toBeGreaterThan(6);
  expect(wildcards).toEqual([]);
});
