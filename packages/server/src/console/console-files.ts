import { existsSync, readdirSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';

/** A file of the console, with its compressed forms. */
export interface ConsoleFile {
  readonly file: string;
  readonly type: string;
  readonly encodings: readonly Encoding[];
}

/** In the order of preference. */
export const ENCODINGS = ['br', 'gzip'] as const;
export type Encoding = (typeof ENCODINGS)[number];

export const SUFFIXES: Readonly<Record<Encoding, string>> = { br: '.br', gzip: '.gz' };

/** Files of other types are not served. */
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
};

/**
 * The files of the console by their addresses, such as `/assets/main.js`. The names come from the folder and never from
 * a request, so that no request can name a file outside of it. The contents are read when they are asked for.
 */
export function consoleFiles(folder: string): ReadonlyMap<string, ConsoleFile> {
  const all = new Set(filesIn(folder));
  const files = new Map<string, ConsoleFile>();
  for (const file of all) {
    const type = TYPES[extname(file)];
    if (type === undefined) continue;
    const encodings = ENCODINGS.filter((encoding) => all.has(file + SUFFIXES[encoding]));
    files.set(`/${relative(folder, file).split(sep).join('/')}`, { file, type, encodings });
  }
  if (!files.has('/index.html')) {
    throw new Error(
      `There is no console in ${folder}: index.html is missing; build it, or set BATON_CONSOLE=off`,
    );
  }
  return files;
}

/** Regular files only: a link could lead out of the folder. */
function filesIn(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesIn(path);
    return entry.isFile() ? [path] : [];
  });
}
