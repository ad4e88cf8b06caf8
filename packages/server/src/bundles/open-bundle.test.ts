import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openBundleFile } from '../../dist/bundles/open-bundle.js';
import type { BundleLimits } from './open-bundle.ts';

/** Whatever is in the file, the process that opens it lives on, and says what is wrong. */

const ENOUGH: BundleLimits = { bytes: 64 * 1024 * 1024, ms: 60_000, heapMegabytes: 1024 };

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'baton-open-bundle-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function opened(contents: string | Uint8Array, limits: Partial<BundleLimits> = {}, trusted?: string) {
  const file = join(folder, 'bundle.json');
  writeFileSync(file, contents);
  return openBundleFile({ file, folder: join(folder, 'data'), trusted }, { ...ENOUGH, ...limits });
}

const manyValues = (count: number) => `{"baton":[${'[],'.repeat(count)}1]}`;
/** The document of a bundle whose head is valid up to the events. */
const deep = (levels: number) => `{"baton":{},"events":${'['.repeat(levels)}${']'.repeat(levels)}}`;

it.each<[string, string | Uint8Array, RegExp]>([
  ['nothing', '', /not valid JSON/],
  ['no bundle', '{}', /not written by a Baton host/],
  ['a list', '[]', /bundle/],
  ['half of a document', '{"a":', /not valid JSON; it may have been cut off/],
  ['no text', Uint8Array.of(0xff, 0xfe, 0x00), /not valid UTF-8/],
  ['half a character', '{"baton":"\\ud800"}', /The bundle/],
  ['a deep document', deep(200_000), /bundle/i],
])('a file with %s is refused', async (_what, contents, message) => {
  await expect(opened(contents)).rejects.toMatchObject({ name: 'BundleRefusal', message });
  expect(readdirSync(folder)).toEqual(['bundle.json']);
});

const TOO_MUCH = { name: 'BundleRefusal', message: expect.stringContaining('more time or memory') };

it('a file that needs more memory than it may is refused', async () => {
  await expect(opened(manyValues(2_000_000), { heapMegabytes: 32 })).rejects.toMatchObject(TOO_MUCH);
});

it('a file that needs more time than it may is refused', async () => {
  await expect(opened(manyValues(2_000_000), { ms: 0 })).rejects.toMatchObject(TOO_MUCH);
});

it('a file that is larger than a bundle is refused before it is read', async () => {
  const message = 'The bundle has 2.0 MB; at most 1 MB are read.';
  await expect(opened('x'.repeat(2_097_152), { bytes: 1_048_576 })).rejects.toMatchObject({ message });
});

it('a file of trusted keys has to hold some', async () => {
  const trusted = join(folder, 'keys.pem');
  await expect(opened('{}', {}, trusted)).rejects.toThrow(/trusted audit keys .* cannot be read/);
  writeFileSync(trusted, 'no key');
  await expect(opened('{}', {}, trusted)).rejects.toThrow(/holds no public key as PEM/);
  rmSync(trusted);
});
