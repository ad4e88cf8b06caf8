import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The pages of the documentation, and the snippets in them. */

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** A fenced block of a page. */
interface Snippet {
  /** The word after the fence, or an empty text. */
  readonly language: string;
  readonly text: string;
  /** The number of the line of the fence that opens the block. */
  readonly line: number;
}

const FENCE = /^\s*(`{3,}|~{3,})\s*(\S*)/;

export function snippetsIn(page: string): readonly Snippet[] {
  const found: Snippet[] = [];
  let open: { fence: string; language: string; line: number; lines: string[] } | undefined;
  for (const [index, line] of page.split('\n').entries()) {
    const [, fence = '', language = ''] = FENCE.exec(line) ?? [];
    if (open === undefined) {
      if (fence !== '') open = { fence, language, line: index + 1, lines: [] };
    } else if (fence.startsWith(open.fence) && language === '') {
      found.push({ language: open.language, text: `${open.lines.join('\n')}\n`, line: open.line });
      open = undefined;
    } else {
      open.lines.push(line);
    }
  }
  if (open !== undefined) throw new Error(`The block in line ${open.line} is not closed.`);
  return found;
}

export const textOf = (page: string): string => readFileSync(join(ROOT, page), 'utf8');

const below = (folder: string): readonly string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !name.includes('node_modules'))
    .map((name) => join(folder, name));

/**
 * Every page of the documentation, as a path from the root of the project. `bench/README.md` is not one of them: its
 * blocks are what benchmarks printed on one machine.
 */
export function allPages(): readonly string[] {
  const packages = readdirSync(join(ROOT, 'packages')).map((name) => `packages/${name}/README.md`);
  const own = readdirSync(ROOT).filter((name) => name.endsWith('.md'));
  return [...own, ...packages, ...below('docs'), ...below('examples')];
}
