import ts from 'typescript';

/** The names that one statement takes from another source, and the names that it gives to others. */

interface Taken {
  readonly specifier: string;
  /** `*` is every name. An `export … from` takes no name for the source itself. */
  readonly names: readonly string[];
}

/** Of an import, an `export … from`, a type that is imported in place, or an import inside of a function. */
export function namesTaken(node: ts.Node): Taken | undefined {
  if (ts.isImportDeclaration(node)) return taken(node.moduleSpecifier, clauseNames(node.importClause));
  if (ts.isExportDeclaration(node)) return taken(node.moduleSpecifier, []);
  if (ts.isImportTypeNode(node)) {
    const literal = ts.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined;
    return taken(literal, [node.qualifier === undefined ? '*' : firstName(node.qualifier)]);
  }
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
    return taken(node.arguments[0], lateNames(node));
  }
  return undefined;
}

function taken(specifier: ts.Node | undefined, names: readonly string[]): Taken | undefined {
  return specifier && ts.isStringLiteral(specifier) ? { specifier: specifier.text, names } : undefined;
}

function clauseNames(clause: ts.ImportClause | undefined): readonly string[] {
  const byDefault = clause?.name === undefined ? [] : ['default'];
  const bindings = clause?.namedBindings;
  if (bindings === undefined) return byDefault;
  if (ts.isNamespaceImport(bindings)) return [...byDefault, '*'];
  return [...byDefault, ...bindings.elements.map(({ name, propertyName }) => (propertyName ?? name).text)];
}

function firstName(name: ts.EntityName): string {
  return ts.isIdentifier(name) ? name.text : firstName(name.left);
}

/** `const { a } = await import('x')` takes `a`, and `(await import('x')).b` takes `b`. Any other form takes every name. */
function lateNames(call: ts.CallExpression): readonly string[] {
  let value: ts.Node = call;
  while (ts.isAwaitExpression(value.parent) || ts.isParenthesizedExpression(value.parent))
    value = value.parent;
  const { parent } = value;
  if (value !== call && ts.isPropertyAccessExpression(parent)) return [parent.name.text];
  if (ts.isVariableDeclaration(parent) && ts.isObjectBindingPattern(parent.name)) {
    return parent.name.elements.map(({ name, propertyName, dotDotDotToken }) =>
      dotDotDotToken ? '*' : (propertyName ?? name).getText(),
    );
  }
  return ['*'];
}

interface Given {
  readonly name: string;
  /** For `export … from`: where the name comes from. `*` stands for all names. */
  readonly of?: { readonly specifier: string; readonly name: string };
}

export function namesGiven(node: ts.Node): readonly Given[] {
  if (ts.isExportDeclaration(node)) return listedNames(node);
  if (ts.isExportAssignment(node)) return [{ name: 'default' }];
  if (!ts.canHaveModifiers(node)) return [];
  const kinds = ts.getModifiers(node)?.map(({ kind }) => kind) ?? [];
  if (!kinds.includes(ts.SyntaxKind.ExportKeyword)) return [];
  if (kinds.includes(ts.SyntaxKind.DefaultKeyword)) return [{ name: 'default' }];
  if (ts.isVariableStatement(node)) {
    return node.declarationList.declarations.flatMap(({ name }) => boundNames(name));
  }
  const { name } = node as ts.DeclarationStatement;
  return name === undefined ? [] : [{ name: name.getText() }];
}

function listedNames({ exportClause, moduleSpecifier }: ts.ExportDeclaration): readonly Given[] {
  const specifier = moduleSpecifier && ts.isStringLiteral(moduleSpecifier) ? moduleSpecifier.text : undefined;
  const from = (name: string) => (specifier === undefined ? {} : { of: { specifier, name } });
  if (exportClause === undefined) return [{ name: '*', ...from('*') }];
  if (ts.isNamespaceExport(exportClause)) return [{ name: exportClause.name.text, ...from('*') }];
  return exportClause.elements.map(({ name, propertyName }) => ({
    name: name.text,
    ...from((propertyName ?? name).text),
  }));
}

function boundNames(name: ts.BindingName): readonly Given[] {
  if (ts.isIdentifier(name)) return [{ name: name.text }];
  return name.elements.flatMap((element) => (ts.isBindingElement(element) ? boundNames(element.name) : []));
}
