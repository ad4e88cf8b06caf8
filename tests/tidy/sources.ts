import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

/** The TypeScript sources of all packages, as a graph of imports. Paths are relative to `packages/`. */

const PACKAGES = fileURLToPath(new URL('../../packages', import.meta.url));

export interface Import {
  /** What the import says. */
  readonly specifier: string;
  /** The source that it means, for a file of the same package. */
  readonly file?: string;
}

export interface Source {
  readonly path: string;
  readonly package: string;
  readonly isTest: boolean;
  readonly lines: number;
  readonly imports: readonly Import[];
  readonly functions: readonly { readonly name: string; readonly lines: number }[];
  readonly readsEnvironment: boolean;
}

export const sources: readonly Source[] = filesBelow(PACKAGES).map(read);

export function packageJson(name: string): { readonly dependencies?: Record<string, string> } {
  return JSON.parse(readFileSync(join(PACKAGES, name, 'package.json'), 'utf8'));
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return ['node_modules', 'dist'].includes(entry.name) ? [] : filesBelow(path);
    return entry.name.endsWith('.ts') ? [path] : [];
  });
}

function read(file: string): Source {
  const text = readFileSync(file, 'utf8');
  const parsed = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const imports: Import[] = [];
  const functions: { name: string; lines: number }[] = [];
  let readsEnvironment = false;
  const lineAt = (position: number) => parsed.getLineAndCharacterOfPosition(position).line;
  const visit = (node: ts.Node): void => {
    const specifier = specifierOf(node);
    if (specifier !== undefined) {
      const isOwn = specifier.startsWith('.');
      const target = isOwn ? relative(PACKAGES, resolve(dirname(file), specifier)) : undefined;
      imports.push({ specifier, ...(target !== undefined && { file: target.replace(/\.js$/, '.ts') }) });
    }
    if (ts.isFunctionLike(node) && 'body' in node && node.body) {
      functions.push({ name: nameOf(node), lines: lineAt(node.getEnd()) - lineAt(node.getStart()) + 1 });
    }
    if (ts.isPropertyAccessExpression(node) && node.getText() === 'process.env') readsEnvironment = true;
    ts.forEachChild(node, visit);
  };
  visit(parsed);
  const path = relative(PACKAGES, file);
  return {
    path,
    package: path.split('/')[0] ?? '',
    isTest: /\.test\.ts$|\/store-contract\/|\/testkit\/|\/testing\//.test(path),
    lines: text.split('\n').length - 1,
    imports,
    functions,
    readsEnvironment,
  };
}

/** Of an import, an export from elsewhere, or a type that is imported in place. Late imports are no part of the graph. */
function specifierOf(node: ts.Node): string | undefined {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) {
    return node.moduleSpecifier && ts.isStringLiteral(node.moduleSpecifier)
      ? node.moduleSpecifier.text
      : undefined;
  }
  if (!ts.isImportTypeNode(node) || !ts.isLiteralTypeNode(node.argument)) return undefined;
  return ts.isStringLiteral(node.argument.literal) ? node.argument.literal.text : undefined;
}

function nameOf(node: ts.SignatureDeclaration): string {
  const named = node.name ?? (ts.isVariableDeclaration(node.parent) ? node.parent.name : undefined);
  return named?.getText() ?? 'a function without a name';
}
