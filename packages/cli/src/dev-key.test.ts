import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { developmentKey, developmentKeyFile } from './dev-key.ts';

describe('developmentKey', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'baton-key-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('is made once and kept', () => {
    const first = developmentKey(folder);
    expect(first).toMatch(/^baton_dev_[\w-]{32}$/);
    expect(developmentKey(folder)).toBe(first);
    expect(readFileSync(developmentKeyFile(folder), 'utf8')).toBe(`${first}\n`);
  });

  it('makes the data folder when there is none', () => {
    expect(developmentKey(join(folder, 'a', 'b'))).toMatch(/^baton_dev_/);
  });

  it.skipIf(process.platform === 'win32')('can be read by its owner only', () => {
    developmentKey(folder);
    expect(statSync(developmentKeyFile(folder)).mode & 0o777).toBe(0o600);
  });

  it('replaces a file that holds no key', () => {
    writeFileSync(developmentKeyFile(folder), '\n');
    expect(developmentKey(folder)).toMatch(/^baton_dev_/);
  });
});
