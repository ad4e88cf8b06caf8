import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

export function inProject(...path) {
  return join(ROOT, ...path);
}

export function hashOf(...parts) {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part).update('\0');
  return hash.digest('hex');
}

/** Stamps are in node_modules, so that deleting this folder causes a new installation and build. */
export function stampOf(name) {
  const file = inProject('node_modules', `.baton-${name}`);
  return {
    matches: (value) => existsSync(file) && readFileSync(file, 'utf8') === value,
    write: (value) => writeFileSync(file, value),
  };
}

/** Prints a message, runs `work`, and prints how long it took. */
export async function withProgress(doing, done, work) {
  console.error(`${doing} …`);
  const start = Date.now();
  await work();
  console.error(`${done} (${Math.max(1, Math.round((Date.now() - start) / 1000))} s)`);
}
