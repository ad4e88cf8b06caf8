import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CONTRACTS, EVENT_TYPES } from '@baton/protocol';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { program } from '../../packages/cli/dist/main.js';
import { EXIT } from '../../packages/cli/dist/output/exit-codes.js';
import { everySnippetOf } from './every-snippet.ts';
import { allPages, ROOT, textOf } from './pages.ts';

/** The commands, settings, endpoints, scripts and events that pages name in their text exist. */

/** The texts between backquotes, and the lines of blocks. */
function codeIn(text: string): readonly string[] {
  return [...text.matchAll(/`+([^`]+)`+/g)].flatMap(([, code = '']) => code.split('\n'));
}

const baton = await program(['serve'], {});

/** The commands of `baton` in a text that the command would refuse, as far as its names and flags tell. */
function unknownCommands(text: string): readonly string[] {
  return codeIn(text)
    .flatMap((code) => code.split(/[$;|&#()]/))
    .map((code) => /(?:^|\s)(?:npx )?baton ([a-z].*)$/.exec(code.trim())?.[1])
    .filter((line) => line !== undefined && !isKnown(line))
    .map((line) => `baton ${line}`);
}

function isKnown(line: string): boolean {
  const words = line.split(/\s+/);
  let command: Command = baton;
  while (words.length > 0 && command.commands.length > 0) {
    const below = command.commands.find((one) => one.name() === words[0]);
    if (below === undefined) return false;
    command = below;
    words.shift();
  }
  const known = ['--help', '--version', ...command.options.map(({ long }) => long)];
  return words.filter((word) => word.startsWith('--')).every((flag) => known.includes(flag));
}

/** The same address, whatever its parameters are called. */
const shapeOf = (path: string) => path.replace(/\{\w+\}/g, '{}');

const ENDPOINTS = new Set(Object.values(CONTRACTS).map(({ method, path }) => `${method} ${shapeOf(path)}`));

function unknownEndpoints(text: string): readonly string[] {
  return codeIn(text)
    .flatMap((code) => [...code.matchAll(/\b((?:GET|POST|PUT|PATCH|DELETE) \/[^\s?"'…]*)/g)])
    .map(([, endpoint = '']) => endpoint)
    .filter((endpoint) => !ENDPOINTS.has(shapeOf(endpoint)));
}

const VARIABLE = /BATON_[A-Z_]*[A-Z]/g;

/** Every variable that a file of the project names. The tests of packages also name some that are mistakes. */
const VARIABLES: ReadonlySet<string> = new Set(
  ['packages', 'tests', 'scripts'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(?:ts|mjs)$/.test(name) && !/\/(?:dist|bundled|node_modules)\//.test(name))
      .filter((name) => folder !== 'packages' || !/\.(?:test|proof)\.ts$/.test(name))
      .flatMap((name) => readFileSync(join(ROOT, folder, name), 'utf8').match(VARIABLE) ?? []),
  ),
);

const unknownSettings = (text: string): readonly string[] =>
  (text.match(VARIABLE) ?? []).filter((name) => !VARIABLES.has(name));

const { scripts: SCRIPTS } = JSON.parse(textOf('package.json'));

function unknownScripts(text: string): readonly string[] {
  return codeIn(text)
    .flatMap((code) => [...code.matchAll(/\bnpm (?:run )?([\w:-]+)/g)])
    .map(([, name = '']) => name)
    .filter((name) => !(name in SCRIPTS) && !['init', 'install', 'ci'].includes(name));
}

describe('the pages name', () => {
  it.each([
    ['commands and flags', unknownCommands, '`baton run hello --wacth` and `npx baton keys make`', 2],
    ['endpoints', unknownEndpoints, '`GET /v1/runs/{id}` and `GET /v1/runs/{id}/logs`', 1],
    // The name is in two parts, so that this file does not name it.
    ['settings', unknownSettings, `\`BATON_PORT\` and \`BATON_${'PROT'}\``, 1],
    ['scripts of npm', unknownScripts, '`npm run bench` and `npm run becnh`', 1],
  ])('%s that exist', (_, unknownIn, wrong, mistakes) => {
    expect(unknownIn(wrong)).toHaveLength(mistakes);
    // The list of changes also tells of earlier versions.
    const pages = allPages().filter((page) => page !== 'CHANGELOG.md');
    expect(pages.flatMap((page) => unknownIn(textOf(page)).map((name) => `${page}: ${name}`))).toEqual([]);
  });
});

it('the page about the terminal lists every exit code', () => {
  const rows = textOf('docs/how-to/terminal.md').matchAll(/^\| (\d+) \| \S/gm);
  expect([...rows].map(([, code]) => Number(code))).toEqual(Object.values(EXIT));
});

everySnippetOf('docs/concepts.md', (take) => {
  const diagrams = Array.from({ length: 4 }, () => take('mermaid'));
  const events = diagrams.join('').match(/\b(?:baton\.)?(?:run|node)\.[a-z]+\b/g) ?? [];
  expect(events.length).toBeGreaterThan(2);
  expect(events.filter((type) => !(EVENT_TYPES as readonly string[]).includes(type))).toEqual([]);
});

everySnippetOf('CONTRIBUTING.md', (take) => {
  // Some of the commands take minutes. The tests of this folder check that they exist, and this one their paths.
  const paths = take('sh').match(/(?<=\s)(?:packages|tests)\/[\w/-]+/g) ?? [];
  const files = readdirSync(join(ROOT, 'tests'), { recursive: true, encoding: 'utf8' })
    .map((name) => `tests/${name}`)
    .concat(readdirSync(join(ROOT, 'packages')).map((name) => `packages/${name}`));
  expect(paths.length).toBeGreaterThan(1);
  expect(paths.filter((path) => !files.some((file) => file.startsWith(path)))).toEqual([]);
});
