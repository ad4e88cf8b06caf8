import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { minVersion, satisfies } from 'semver';
import { describe, expect, it } from 'vitest';

interface LockedPackage {
  readonly version?: string;
  readonly resolved?: string;
  readonly link?: boolean;
  /** It is a part of the package that needs it, whose checksum covers it. */
  readonly inBundle?: boolean;
  readonly integrity?: string;
  readonly engines?: { readonly node?: string };
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

const root = new URL('../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');
const lockedIn = (path: string): Readonly<Record<string, LockedPackage>> => JSON.parse(read(path)).packages;
const locked = lockedIn('package-lock.json');
/** The lock files of the project, of the tools that its tests start, and of what its benchmark compares it with. */
const LOCK_FILES = [
  'package-lock.json',
  ...['bench', 'tests', 'tools'].flatMap((home) =>
    readdirSync(new URL(home, root)).map((name) => `${home}/${name}/package-lock.json`),
  ),
].filter((path) => existsSync(new URL(path, root)));
const lowest = String(minVersion(JSON.parse(read('package.json')).engines.node));

describe('the lock file', () => {
  it('has an entry for every dependency, also those of other platforms, so that `npm ci` takes it', () => {
    const missing = Object.entries(locked).flatMap(([path, entry]) =>
      namesNeededBy(entry)
        .filter((name) => !isLockedFor(path, name))
        .map((name) => `${path || 'the project'} needs ${name}`),
    );
    expect(missing).toEqual([]);
    // The platforms are not forgotten altogether: a package with a binary for each lists them all.
    expect(Object.keys(locked).filter((path) => path.startsWith('node_modules/@biomejs/cli-')).length).toBe(
      Object.keys(locked['node_modules/@biomejs/biome']?.optionalDependencies ?? {}).length,
    );
  });

  it('holds nothing that refuses the lowest version of Node that the project names', () => {
    const refusing = Object.entries(locked)
      .filter(([, { engines }]) => engines?.node !== undefined && !satisfies(lowest, engines.node))
      .map(([path, { version, engines }]) => `${path}@${version} wants Node ${engines?.node}`);
    expect(refusing).toEqual([]);
  });

  it('is one of several', () => {
    expect(LOCK_FILES.length).toBeGreaterThan(5);
  });

  it.each(LOCK_FILES)('%s names no download address, and has the checksums of a registry', (path) => {
    const packages = lockedIn(path);
    const addresses = Object.values(packages).filter(({ resolved }) => resolved?.includes(':'));
    expect(addresses).toEqual([]);
    const unchecked = Object.entries(packages)
      .filter(
        ([path, { link, inBundle, integrity }]) =>
          path.startsWith('node_modules/') && !link && !inBundle && !integrity,
      )
      .map(([path]) => path);
    expect(unchecked).toEqual([]);
  });

  it('and the README, the start script and the packages name the same lowest version of Node', () => {
    const named = lowest.replace(/\.0$/, '');
    expect(read('README.md')).toContain(`Node.js ${named} or later`);
    expect(read('scripts/node-version.mjs')).toContain(`Baton needs Node.js ${named} or later`);
  });
});

function namesNeededBy(entry: LockedPackage): readonly string[] {
  const peers = Object.keys(entry.peerDependencies ?? {}).filter(
    (name) => entry.peerDependenciesMeta?.[name]?.optional !== true,
  );
  return [
    ...Object.keys(entry.dependencies ?? {}),
    ...Object.keys(entry.devDependencies ?? {}),
    ...Object.keys(entry.optionalDependencies ?? {}),
    ...peers,
  ];
}

/** Node looks for a package beside the one that needs it, and then in every folder above. */
function isLockedFor(path: string, name: string): boolean {
  for (let folder = path; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('node_modules/') - 1))) {
    if (`${folder}${folder && '/'}node_modules/${name}` in locked) return true;
    if (folder === '') return false;
  }
}
