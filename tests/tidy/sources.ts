import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { namesGiven, namesTaken } from './names.ts';

/** All source files, as a graph of imports and exports. Paths are relative to `packages/`. */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PACKAGES = join(ROOT, 'packages');

interface Import {
  /** What the import says. */
  readonly specifier: string;
  /** The source that it means, for a file of the same package. */
  readonly file?: string;
  /** The names that are taken. `*` is every name, and `default` the name of a default export. */
  readonly names: readonly string[];
}

/** A name that a source exports, and, for `export … from`, the name in the other source that it stands for. */
interface Export {
  readonly name: string;
  readonly of?: { readonly specifier: string; readonly file?: string; readonly name: string };
}

export interface Source {
  readonly path: string;
  readonly package: string;
  readonly isTest: boolean;
  readonly text: string;
  readonly lines: number;
  /** Also those of `export … from`, which take no names for the source itself. */
  readonly imports: readonly Import[];
  /** Imports inside of functions. They run later, so they cannot form a cycle. */
  readonly lateImports: readonly Import[];
  readonly exports: readonly Export[];
  readonly functions: readonly { readonly name: string; readonly lines: number }[];
  readonly readsEnvironment: boolean;
}

/** The TypeScript sources of all packages. */
export const sources: readonly Source[] = filesBelow(PACKAGES, /\.ts$/).map(read);

/** The sources of the console, which reads the packages as they are. */
export const consoleSources: readonly Source[] = filesBelow(join(ROOT, 'apps'), /(?<!\.d)\.tsx?$/).map(read);

/** Other files that use the packages: tests, benchmarks, scripts and commands. */
export const users: readonly Source[] = [
  ...['tests', 'bench', 'scripts'].flatMap((folder) => filesBelow(join(ROOT, folder), /(?<!\.d)\.m?[tj]s$/)),
  ...filesBelow(PACKAGES, /\.m?js$/),
  join(ROOT, 'vitest.config.ts'),
].map(read);

interface PackageJson {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, { readonly default: string }>>;
}

export function packageJson(name: string): PackageJson {
  return JSON.parse(readFileSync(join(PACKAGES, name, 'package.json'), 'utf8'));
}

function filesBelow(folder: string, kind: RegExp): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      return ['node_modules', 'dist', 'bundled'].includes(entry.name) ? [] : filesBelow(path, kind);
    }
    return kind.test(entry.name) ? [path] : [];
  });
}

function read(file: string): Source {
  return parse(relative(PACKAGES, file), readFileSync(file, 'utf8'));
}

export function parse(path: string, text: string): Source {
  const parsed = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const imports: Import[] = [];
  const lateImports: Import[] = [];
  const exports: Export[] = [];
  const functions: { name: string; lines: number }[] = [];
  let readsEnvironment = false;
  const lineAt = (position: number) => parsed.getLineAndCharacterOfPosition(position).line;
  const target = (specifier: string) => ({
    specifier,
    ...(specifier.startsWith('.') && { file: sourceFile(join(dirname(path), specifier)) }),
  });
  const visit = (node: ts.Node): void => {
    const taken = namesTaken(node);
    if (taken !== undefined) {
      const found = { ...target(taken.specifier), names: taken.names };
      if (ts.isCallExpression(node)) lateImports.push(found);
      else imports.push(found);
    }
    for (const { name, of } of namesGiven(node)) {
      exports.push({ name, ...(of && { of: { ...target(of.specifier), name: of.name } }) });
    }
    if (ts.isFunctionLike(node) && 'body' in node && node.body) {
      functions.push({ name: nameOf(node), lines: lineAt(node.getEnd()) - lineAt(node.getStart()) + 1 });
    }
    if (ts.isPropertyAccessExpression(node) && node.getText() === 'process.env') readsEnvironment = true;
    ts.forEachChild(node, visit);
  };
  visit(parsed);
  return {
    path,
    package: path.split('/')[0] ?? '',
    isTest: /\.(test|proof)\.ts$|^conformance\/|^store-(sqlite|postgres)\/testing\/|^\.\.\//.test(path),
    text,
    lines: text.split('\n').length - 1,
    imports,
    lateImports,
    exports,
    functions,
    readsEnvironment,
  };
}

/** Relative to `packages/`. Some tests import a compiled file; it stands for its source. */
function sourceFile(path: string): string {
  const file = path.replace(/^\.\.\/packages\//, '');
  return file.startsWith('.') ? file : file.replace(/^([\w-]+)\/dist\//, '$1/src/').replace(/\.js$/, '.ts');
}

function nameOf(node: ts.SignatureDeclaration): string {
  const named = node.name ?? (ts.isVariableDeclaration(node.parent) ? node.parent.name : undefined);
  return named?.getText() ?? 'a function without a name';
}
