import { packageJson, type Source } from './sources.ts';

/** What the search for unused exports needs to know of a file. */
type Exporting = Pick<Source, 'path' | 'imports' | 'lateImports' | 'exports'>;

/** The source behind an entry of a package, such as `@baton/engine/ports`. */
export function entryOf(specifier: string): string | undefined {
  const [, name, rest] = /^@baton\/([\w-]+)(\/.+)?$/.exec(specifier) ?? [];
  if (name === undefined) return undefined;
  const entry = packageJson(name).exports[rest === undefined ? '.' : `.${rest}`];
  return entry?.default.replace(/^\.\/dist\/(.*)\.js$/, `${name}/src/$1.ts`);
}

/**
 * Exported names that no file imports, each as `path: name`. A re-export passes the use on: a name that an
 * index exports again is used when another file takes it from the index, or when the index is public.
 */
export function unusedExports(
  files: readonly Exporting[],
  publicIndexes: readonly string[],
): readonly string[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const used = new Set<string>();

  function use(path: string | undefined, name: string): void {
    const source = path === undefined ? undefined : byPath.get(path);
    if (source === undefined || used.has(`${path}: ${name}`)) return;
    used.add(`${path}: ${name}`);
    for (const given of source.exports) {
      const isMeant = name === '*' || given.name === name || given.name === '*';
      if (!isMeant) continue;
      if (given.name !== '*') used.add(`${path}: ${given.name}`);
      if (given.of) use(targetOf(given.of), given.name === '*' ? name : given.of.name);
    }
  }

  for (const { imports, lateImports } of files) {
    for (const taken of [...imports, ...lateImports]) {
      for (const name of taken.names) use(targetOf(taken), name);
    }
  }
  for (const path of publicIndexes) use(path, '*');
  return files.flatMap(({ path, exports }) =>
    exports
      // A default export is taken by a tool, which finds the file by its path.
      .filter(({ name }) => name !== '*' && name !== 'default' && !used.has(`${path}: ${name}`))
      .map(({ name }) => `${path}: ${name}`),
  );
}

function targetOf({ specifier, file }: { readonly specifier: string; readonly file?: string }) {
  return file ?? entryOf(specifier);
}
