import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { consoleSources, packageJson, type Source, sources } from './sources.ts';

/** The shape of the house: what may import what, and how large a thing may become. */

const product = sources.filter(({ isTest }) => !isTest);

interface Importing extends Pick<Source, 'path'> {
  readonly imports: readonly { readonly file?: string }[];
}

/** Groups of files that import each other, types included, each group sorted. */
function cycles(files: readonly Importing[]): readonly (readonly string[])[] {
  const targets = new Map(
    files.map(({ path, imports }) => [path, imports.flatMap(({ file }) => file ?? [])]),
  );
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const found: string[][] = [];
  const visit = (path: string): number => {
    const number = order.size;
    order.set(path, number);
    stack.push(path);
    let low = number;
    for (const target of targets.get(path) ?? []) {
      if (!targets.has(target)) continue;
      if (!order.has(target)) low = Math.min(low, visit(target));
      else if (stack.includes(target)) low = Math.min(low, order.get(target) ?? low);
    }
    lowest.set(path, low);
    if (low === number) {
      const group = stack.splice(stack.indexOf(path));
      if (group.length > 1) found.push(group.sort());
    }
    return low;
  };
  for (const path of targets.keys()) if (!order.has(path)) visit(path);
  return found;
}

/** The package of a specifier: `ajv` of `ajv/dist/2020.js`. */
function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

describe('imports', () => {
  it('form no cycle', () => {
    const loop = (path: string, file: string) => ({ path, imports: [{ file }] });
    expect(cycles([loop('a', 'b'), loop('b', 'c'), loop('c', 'b')])).toEqual([['b', 'c']]);
    expect(cycles([...sources, ...consoleSources])).toEqual([]);
  });

  const LAYERS = [
    'protocol',
    'engine',
    'store-sqlite',
    'store-postgres',
    'scheduler-restate',
    'agents',
    'client',
    'server',
    'cli',
  ];

  it.each(LAYERS)('of %s lead only to packages below it, which its package.json names', (name) => {
    const below = LAYERS.slice(0, LAYERS.indexOf(name)).map((layer) => `@baton/${layer}`);
    const { dependencies = {}, peerDependencies = {} } = packageJson(name);
    const wrong = product
      .filter((source) => source.package === name)
      .flatMap(({ path, imports, lateImports }) =>
        [...imports, ...lateImports].flatMap(({ specifier, file }) => {
          if (file !== undefined || specifier.startsWith('node:')) return [];
          const wanted = packageOf(specifier);
          const allowed = !wanted.startsWith('@baton/') || below.includes(wanted);
          return allowed && wanted in { ...dependencies, ...peerDependencies }
            ? []
            : [`${path}: ${specifier}`];
        }),
      );
    expect(wrong).toEqual([]);
  });

  it.each(LAYERS)('of %s use every package that its package.json names', (name) => {
    const used = product
      .filter((source) => source.package === name)
      .flatMap(({ imports, lateImports }) => [...imports, ...lateImports])
      .map(({ specifier }) => packageOf(specifier));
    const { dependencies = {} } = packageJson(name);
    expect(Object.keys(dependencies).filter((dependency) => !used.includes(dependency))).toEqual([]);
  });

  it.each([
    ['kernel', ['nodes', 'driver', 'audit', 'bundle', 'history']],
    ['nodes', ['driver', 'audit', 'bundle', 'history']],
    ['ports', ['kernel', 'nodes', 'driver', 'audit', 'bundle', 'history']],
  ])('of engine/src/%s do not lead upwards', (layer, above) => {
    const wrong = product
      .filter(({ path }) => path.startsWith(`engine/src/${layer}/`))
      .flatMap(({ path, imports }) =>
        imports.flatMap(({ file = '' }) =>
          above.some((upper) => file.startsWith(`engine/src/${upper}/`)) ? [`${path}: ${file}`] : [],
        ),
      );
    expect(wrong).toEqual([]);
  });
});

/** The parts that a program needs which only talks to a host, or only builds workflows. */
it('of the client lead to optional packages in the test kit and in the check of definitions only', () => {
  const using = product
    .filter((source) => source.package === 'client')
    .filter(({ imports, lateImports }) =>
      [...imports, ...lateImports].some(({ specifier }) => /^@baton\/(?!protocol)/.test(specifier)),
    );
  const others = using.filter(({ path }) => !path.startsWith('client/src/testing/'));
  expect(others.map(({ path }) => path)).toEqual(['client/src/builder/validate.ts']);
  expect(others.flatMap(({ imports }) => imports.map(({ specifier }) => packageOf(specifier)))).not.toContain(
    '@baton/engine',
  );
});

describe('sizes', () => {
  it('of source files are at most 400 lines', () => {
    expect(product.filter(({ lines }) => lines > 400).map(({ path }) => path)).toEqual(LONG_FILES);
  });

  it('of functions are at most 80 lines', () => {
    const long = product.flatMap(({ path, functions }) =>
      functions.filter(({ lines }) => lines > 80).map(({ name }) => `${path}: ${name}`),
    );
    expect(long.sort()).toEqual(LONG_FUNCTIONS);
  });

  it('of folders are at most 25 source files', () => {
    const counts = new Map<string, number>();
    for (const { path } of product) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
    expect([...counts].flatMap(([folder, count]) => (count > 25 ? [folder] : [])).sort()).toEqual(
      FULL_FOLDERS,
    );
  });
});

it('names a store in the place that opens storage only', () => {
  const above = product.filter((source) => source.package === 'server' || source.package === 'cli');
  const named = above.filter(({ imports }) =>
    imports.some(({ specifier }) => specifier.startsWith('@baton/store-')),
  );
  expect(named.map(({ path }) => path)).toEqual([
    'server/src/storage/fill-folder.ts',
    'server/src/storage/left-by-host.ts',
    'server/src/storage/membership.ts',
    'server/src/storage/move-storage.ts',
    'server/src/storage/open-storage.ts',
    'server/src/storage/own-postgres.ts',
    'server/src/storage/postgres-storage.ts',
    'server/src/storage/storage.ts',
  ]);
});

it('names the files of a data folder in the store that keeps them only', () => {
  const FILES =
    /['"`](?:[^'"`]*\/)?(?:baton\.db|host\.lock|host\.address|in-hand|dev-key|(?:audit|sealing|token)\.key)['"`]/;
  const naming = product.filter(({ text }) => FILES.test(text)).map(({ path }) => path);
  expect(naming.filter((path) => !path.startsWith('store-sqlite/'))).toEqual([]);
  expect(naming).toContain('store-sqlite/src/key-files.ts');
});

it('folds logs on the main thread only in the turn of their tenant', () => {
  const folding = product.filter(
    ({ package: name, text }) => name === 'server' && text.includes('foldToRead('),
  );
  expect(folding.length).toBeGreaterThan(2);
  for (const { path, text } of folding) {
    const folds = text.split('foldToRead(').length - 1;
    expect([path, text.split(/inTurn\([^;]*?foldToRead\(/).length - 1]).toEqual([path, folds]);
  }
});

it('reads the environment in the settings of the command only', () => {
  expect(product.filter((source) => source.readsEnvironment).map(({ path }) => path)).toEqual([
    'cli/src/settings/given.ts',
  ]);
});

/** Known to be too large. An entry goes when its file, function or folder is split; none is added. */
const LONG_FILES: readonly string[] = [];
const LONG_FUNCTIONS: readonly string[] = [];
const FULL_FOLDERS: readonly string[] = [];
