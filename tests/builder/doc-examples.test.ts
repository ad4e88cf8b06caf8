import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, it, onTestFinished } from 'vitest';

/** The examples in doc comments are programs that compile. */

const CLIENT = join(import.meta.dirname, '../../packages/client/src');
/** Not among the sources, which other tests read meanwhile. */
const FOLDER = join(import.meta.dirname, '../../.cache/tests/doc-examples');

/** The texts after `@example` in the doc comments of a file. */
function examplesIn(text: string): readonly string[] {
  return [...text.matchAll(/^ \* @example\n((?: \*.*\n)+?) \*\/$/gm)].map(([, body = '']) =>
    body.replace(/^ \* ?/gm, ''),
  );
}

it('compile', () => {
  const files = ['builder', 'testing'].flatMap((folder) =>
    readdirSync(join(CLIENT, folder)).map((name) => join(CLIENT, folder, name)),
  );
  const examples = files.flatMap((file) => examplesIn(readFileSync(file, 'utf8')));
  expect(examples.length).toBeGreaterThan(8);
  mkdirSync(FOLDER, { recursive: true });
  onTestFinished(() => rmSync(FOLDER, { recursive: true, force: true }));
  const written = examples.map((text, at) => {
    const file = join(FOLDER, `example-${at}.ts`);
    writeFileSync(file, `${text}\nexport {};\n`);
    return file;
  });
  const { config } = ts.readConfigFile(join(import.meta.dirname, '../tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, join(import.meta.dirname, '..'));
  const program = ts.createProgram(written, { ...options, noUnusedLocals: false });
  const problems = ts
    .getPreEmitDiagnostics(program)
    .map(
      ({ file, messageText }) =>
        `${file?.text.slice(0, 200)}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
    );
  expect(problems).toEqual([]);
});
