import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { storageAt } from '@baton/server/storage';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { developmentKey } from './serve.ts';

describe('developmentKey', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'baton-key-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const keysIn = (path: string) => storageAt({ kind: 'sqlite', folder: path });
  const file = () => join(folder, 'dev-key');

  it('is made once and kept', async () => {
    const first = await developmentKey(keysIn(folder));
    expect(first).toMatch(/^baton_dev_[\w-]{32}$/);
    expect(await developmentKey(keysIn(folder))).toBe(first);
    expect(readFileSync(file(), 'utf8')).toBe(`${first}\n`);
  });

  it('makes the data folder when there is none', async () => {
    expect(await developmentKey(keysIn(join(folder, 'a', 'b')))).toMatch(/^baton_dev_/);
  });

  it('replaces a file that holds no key', async () => {
    writeFileSync(file(), '\n');
    expect(await developmentKey(keysIn(folder))).toMatch(/^baton_dev_/);
  });
});
