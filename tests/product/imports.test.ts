import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const PACKAGES = fileURLToPath(new URL('../../packages', import.meta.url));

/** What ships: the sources of the packages without their tests and test kits. */
const SOURCES = readdirSync(PACKAGES, { recursive: true, encoding: 'utf8' })
  .filter((file) => /^[^/]+\/src\/.*\.ts$/.test(file) && !/\.(?:test|proof)\.ts$/.test(file))
  .filter((file) => !file.startsWith('conformance/'));

function importsOf(file: string): readonly string[] {
  const text = readFileSync(join(PACKAGES, file), 'utf8');
  return [...text.matchAll(/^(?:import|export) (?:[^;]*? from )?'([^']+)'/gm)].map(([, name]) => {
    const given = name ?? '';
    return given.startsWith('.') ? relative(PACKAGES, join(PACKAGES, file, '..', given)) : given;
  });
}

/** The test kit for authors is a part of the product, and a new project has a test that uses it. */
const FOR_AUTHORS = /^(client\/src\/testing\/|cli\/src\/project\/init-project\.ts$)/;

it('no file of the product loads a test kit, or what only conformance suites use', () => {
  expect(SOURCES.length).toBeGreaterThan(300);
  const loading = SOURCES.filter((file) => !FOR_AUTHORS.test(file)).flatMap((file) =>
    importsOf(file)
      .filter((name) => /^(@baton\/)?conformance\b|testing|vitest/.test(name))
      .map((name) => `${file} imports ${name}`),
  );
  expect(loading).toEqual([]);
});
