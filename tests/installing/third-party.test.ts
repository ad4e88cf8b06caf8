import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { thirdPartyLicenses } from '../../scripts/third-party.mjs';
import { emptyFolder } from '../empty-folder.ts';

/** The licenses that come with the bundle of the `baton` command. */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const BUNDLED = join(ROOT, 'packages/cli/bundled');

/** A folder of packages, each with the given files. Returns the id of a module of each. */
function installed(packages: Readonly<Record<string, Readonly<Record<string, string>>>>): readonly string[] {
  const root = emptyFolder();
  return Object.entries(packages).map(([name, files]) => {
    const folder = join(root, 'node_modules', name);
    mkdirSync(folder, { recursive: true });
    for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
    return join(folder, 'dist/deep/index.js');
  });
}

const manifest = (name: string, more: object = { license: 'MIT' }): string =>
  JSON.stringify({ name, version: '1.2.3', ...more });

describe('the text of the licenses', () => {
  it('has the license and the notice of each package, and each text once', () => {
    const modules = installed({
      tides: { 'package.json': manifest('tides'), LICENSE: 'Copyright Ada.', 'NOTICE.txt': 'With owls.' },
      '@acme/waves': { 'package.json': manifest('@acme/waves'), 'licence.md': 'Copyright Bo.' },
      moon: { 'package.json': manifest('moon'), LICENSE: 'Copyright Bo.' },
    });
    const rule = '='.repeat(80);
    expect(thirdPartyLicenses([...modules, ...modules, '/work/packages/cli/dist/main.js'])).toBe(
      [
        'The command baton contains code of 3 packages of others, under these licenses.\n',
        `${rule}\n@acme/waves 1.2.3 (MIT)\nmoon 1.2.3 (MIT)\n${rule}\n\nCopyright Bo.\n`,
        `${rule}\ntides 1.2.3 (MIT)\n${rule}\n\nCopyright Ada.\n\nWith owls.\n`,
      ].join('\n'),
    );
  });

  it('says what a package without a text states, and refuses one that states nothing', () => {
    const author = { name: 'Ada' };
    const stated = installed({ tides: { 'package.json': manifest('tides', { license: 'MIT', author }) } });
    expect(thirdPartyLicenses(stated)).toContain('It states the license MIT (Ada).');
    const silent = installed({ tides: { 'package.json': manifest('tides', {}) } });
    expect(() => thirdPartyLicenses(silent)).toThrow(/^tides in .* has no license/);
  });
});

/** The packages of others in the bundle. The bundler names each module above its code. */
function bundledPackages(): readonly string[] {
  const parts = readdirSync(BUNDLED).filter((file) => file.endsWith('.js'));
  const folders = parts.flatMap((file) =>
    [...readFileSync(join(BUNDLED, file), 'utf8').matchAll(/^\/\/#region (.*)$/gm)].flatMap(
      ([, module = '']) => /(?:^|.*\/)node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(module) ?? [],
    ),
  );
  return [...new Set(folders)];
}

it('the bundle comes with the licenses of all packages that are in it', () => {
  const text = readFileSync(join(BUNDLED, 'THIRD-PARTY-LICENSES'), 'utf8');
  const packages = bundledPackages();
  expect(packages.length).toBeGreaterThan(50);
  const missing = packages.filter((folder) => {
    const { name, version } = JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'));
    return !text.includes(`\n${name} ${version} (`);
  });
  expect(missing).toEqual([]);
  expect(text).toContain('\nrolldown ');
});
