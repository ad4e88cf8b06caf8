import { readFileSync } from 'node:fs';

/** Facts of package.json, which is one folder above this file in the source, in the build and in the bundle. */

export function version(): string {
  return String(manifest().version ?? 'unknown');
}

/** The lowest version of Node.js that the command runs on. */
export function leastNode(): string {
  return (manifest().engines?.node ?? '').replace(/^>=/, '');
}

interface Manifest {
  readonly version?: string;
  readonly engines?: { readonly node?: string };
}

function manifest(): Manifest {
  return JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as Manifest;
}
