import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { allPages } from '../docs/pages.ts';

/** The examples in the doc comments of the client and in all pages, and the compiler that checks them. */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const CLIENT = join(ROOT, 'packages/client');

interface Example {
  /** Where the example is: the file, and its number among the examples of the file. */
  readonly name: string;
  readonly text: string;
}

/** Blocks that begin with a fence and `ts`, in a doc comment or a page. */
export function examplesIn(path: string, text: string): readonly Example[] {
  const isSource = path.endsWith('.ts');
  const plain = isSource ? text.replace(/^ *\* ?/gm, '') : text;
  return [...plain.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, block = ''], index) => ({
    name: `${path}, example ${index + 1}`,
    text: block,
  }));
}

export function allExamples(): readonly Example[] {
  const sources = readdirSync(join(CLIENT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !/\.(?:test|proof)\.ts$/.test(file))
    .map((file) => join(CLIENT, 'src', file));
  const pages = allPages().map((page) => join(ROOT, page));
  return [...pages, ...sources].flatMap((file) =>
    examplesIn(relative(ROOT, file), readFileSync(file, 'utf8')),
  );
}

const OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts', 'lib.dom.asynciterable.d.ts'],
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  allowImportingTsExtensions: true,
};

/** The problems of each example that the compiler finds. */
export function problemsOfExamples(examples: readonly Example[]): readonly string[] {
  const files = new Map(
    examples.map(({ name, text }, index) => [join(ROOT, `example-${index}.ts`), { name, text }]),
  );
  const host = ts.createCompilerHost(OPTIONS);
  const { getSourceFile, fileExists, readFile } = host;
  host.fileExists = (file) => files.has(file) || fileExists(file);
  host.readFile = (file) => files.get(file)?.text ?? readFile(file);
  host.getSourceFile = (file, ...rest) => {
    const example = files.get(file);
    if (example === undefined) return getSourceFile(file, ...rest);
    return ts.createSourceFile(file, example.text, ts.ScriptTarget.ES2023);
  };
  const program = ts.createProgram([...files.keys()], { ...OPTIONS, types: ['node'] }, host);
  return ts
    .getPreEmitDiagnostics(program)
    .map(
      (found) => `${files.get(found.file?.fileName ?? '')?.name ?? found.file?.fileName}: ${textOf(found)}`,
    );
}

/** The codes of the compiler for a name, a type or a namespace that does not exist. */
const UNKNOWN_NAME: readonly number[] = [2304, 2503, 2552, 2580, 2591];

/**
 * Names in the files that a browser does not know, such as `process`. Imports are not followed, because the types of
 * all contracts take long to compute; the compiler finds unknown names without them.
 */
export function unknownInBrowsers(files: readonly Example[]): readonly string[] {
  const texts = new Map(files.map(({ name, text }) => [join(ROOT, name), text]));
  const options: ts.CompilerOptions = { ...OPTIONS, types: [], noResolve: true };
  const host = ts.createCompilerHost(options);
  const { getSourceFile } = host;
  host.getSourceFile = (file, ...rest) => {
    const text = texts.get(file);
    return text === undefined
      ? getSourceFile(file, ...rest)
      : ts.createSourceFile(file, text, ts.ScriptTarget.ES2023);
  };
  return ts
    .getPreEmitDiagnostics(ts.createProgram([...texts.keys()], options, host))
    .filter(({ code }) => UNKNOWN_NAME.includes(code))
    .map((found) => `${relative(ROOT, found.file?.fileName ?? '')}: ${textOf(found)}`);
}

function textOf({ messageText }: ts.Diagnostic): string {
  return ts.flattenDiagnosticMessageText(messageText, '\n');
}
