import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FOLDERS = ['packages/engine/src/kernel/people', 'packages/engine/src/nodes'];

/** One forbidden thing each, as a whole file. */
const FORBIDDEN = {
  'node:fs': "import { readFileSync } from 'node:fs';\nexport const planted = readFileSync;\n",
  'fs without a prefix': "import fs from 'fs';\nexport const planted = fs;\n",
  'a type of node:fs': "import type { Stats } from 'node:fs';\nexport type Planted = Stats;\n",
  'an export of node:fs': "export { readFileSync } from 'node:fs';\n",
  'node:fs imported late': "export const planted = import('node:fs');\n",
  'a package that makes ids': "import { v7 } from 'uuid';\nexport const planted = v7;\n",
  'the store': "import { openStore } from '@baton/store-sqlite';\nexport const planted = openStore;\n",
  require: "export const planted = require('node:fs');\n",
  'Math.random': 'export const planted = Math.random();\n',
  'Math.random by its name as text': "export const planted = Math['random']();\n",
  'Math.random taken apart': 'const { random } = Math;\nexport const planted = random();\n',
  'Math.random under another name': 'const numbers = Math;\nexport const planted = numbers.random();\n',
  'Date.now': 'export const planted = Date.now();\n',
  'new Date': 'export const planted = new Date();\n',
  'Date under another name': 'const Time = Date;\nexport const planted = Time.now();\n',
  performance: 'export const planted = performance.now();\n',
  crypto: 'export const planted = crypto.randomUUID();\n',
  Intl: 'export const planted = new Intl.NumberFormat();\n',
  process: 'export const planted = process.env;\n',
  console: "console.log('planted');\nexport {};\n",
  fetch: "export const planted = fetch('http://localhost');\n",
  WebSocket: "export const planted = new WebSocket('ws://localhost');\n",
  setTimeout: 'export const planted = setTimeout(() => undefined, 1);\n',
  setInterval: 'export const planted = setInterval(() => undefined, 1);\n',
  setImmediate: 'export const planted = setImmediate(() => undefined);\n',
  queueMicrotask: 'queueMicrotask(() => undefined);\nexport {};\n',
  globalThis: "export const planted = Reflect.get(globalThis, 'Date');\n",
  Function: "export const planted = new Function('return Date');\n",
  WeakRef: 'export const planted = new WeakRef({});\n',
} as const;

const ALLOWED =
  "import { toJson } from '@baton/protocol';\nimport { Type } from 'typebox';\n" +
  "import { other } from '../other.js';\nimport { near } from './near.js';\n" +
  'export const planted = [toJson, Type, other, near];\n';

describe('the kernel and the nodes', () => {
  const project = mkdtempSync(join(tmpdir(), 'baton-lint-'));
  const refused = new Map<string, string[]>();

  const lint = (): string => {
    const biome = join(ROOT, 'node_modules', '@biomejs', 'biome', 'bin', 'biome');
    const options = ['--vcs-enabled=false', '--max-diagnostics=none', '--reporter=json'];
    try {
      return execFileSync(process.execPath, [biome, 'lint', ...options], {
        cwd: project,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      });
    } catch (error) {
      return (error as { stdout: string }).stdout;
    }
  };

  beforeAll(() => {
    copyFileSync(join(ROOT, 'biome.json'), join(project, 'biome.json'));
    for (const folder of FOLDERS) {
      mkdirSync(join(project, folder), { recursive: true });
      for (const [index, text] of Object.values(FORBIDDEN).entries()) {
        writeFileSync(join(project, folder, `planted-${index}.ts`), text);
      }
      writeFileSync(join(project, folder, 'allowed.ts'), ALLOWED);
    }
    const { diagnostics } = JSON.parse(lint()) as {
      diagnostics: { category: string; severity: string; location: { path: string } }[];
    };
    for (const { category, severity, location } of diagnostics) {
      if (severity !== 'error' || !/Restricted/.test(category)) continue;
      refused.set(location.path, [...(refused.get(location.path) ?? []), category]);
    }
  });
  afterAll(() => rmSync(project, { recursive: true }));

  it.each(FOLDERS.flatMap((folder) => Object.keys(FORBIDDEN).map((what) => [folder, what] as const)))(
    '%s: lint refuses %s',
    (folder, what) => {
      const index = Object.keys(FORBIDDEN).indexOf(what);
      expect(refused.get(`${folder}/planted-${index}.ts`) ?? []).not.toEqual([]);
    },
  );

  it.each(FOLDERS)('%s: lint accepts the protocol, typebox and files of the engine', (folder) => {
    expect(refused.get(`${folder}/allowed.ts`)).toBe(undefined);
  });
});
