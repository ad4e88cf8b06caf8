import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readSecretsFile } from './host-vault.ts';

const folder = mkdtempSync(join(tmpdir(), 'baton-secrets-'));
const file = join(folder, 'secrets.json');
afterAll(() => rmSync(folder, { recursive: true }));

function write(content: unknown, mode = 0o600): string {
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  chmodSync(file, mode);
  return file;
}

describe('readSecretsFile', () => {
  it('reads values by tenant and id', () => {
    const secrets = readSecretsFile(
      write({ '*': { shared: 'everybody-1' }, acme: { 'a.b_c-9': 'quite secret', __proto__: {} } }),
    );
    expect(secrets.get('*')?.get('shared')).toBe('everybody-1');
    expect(secrets.get('acme')?.get('a.b_c-9')).toBe('quite secret');
  });

  it.each([0o644, 0o640, 0o606, 0o601])('refuses a file of mode %o', (mode) => {
    expect(() => readSecretsFile(write({}, mode))).toThrow(/can be read by other users.*chmod 600/);
  });

  it('takes a file that its owner may only read', () => {
    expect(readSecretsFile(write({}, 0o400)).size).toBe(0);
  });

  it.each<[string, unknown, RegExp]>([
    ['no JSON', '{"acme": hunter2hunter2}', /is not valid JSON$/],
    ['a list', [], /must hold an object of tenants/],
    ['a nameless tenant', { '': {} }, /a tenant has no name/],
    ['a tenant that is a text', { acme: 'hunter2hunter2' }, /"acme" must be an object/],
    [
      'an id with a space',
      { acme: { 'a b': 'hunter2hunter2' } },
      /"a b" of "acme" must have an id of 1 to 128/,
    ],
    [
      'an id that is too long',
      { acme: { ['x'.repeat(129)]: 'hunter2hunter2' } },
      /must have an id of 1 to 128/,
    ],
    ['a number', { acme: { key: 12345678 } }, /"key" of "acme" must be a string/],
    ['a short value', { acme: { key: 'hunter2' } }, /has fewer than 8 characters/],
    ['a value that is a number', { acme: { key: '-12345678.5' } }, /is a number/],
    ['a word of the log', { acme: { key: 'variables' } }, /a word that the host itself writes/],
    ['a kind of question', { acme: { key: 'approval' } }, /a word that the host itself writes/],
    [
      'a value that its id shows',
      { acme: { 'my-hunter2hunter2': 'hunter2hunter2' } },
      /is a part of its own name/,
    ],
    [
      'the name of its tenant',
      { 'acme-corporation': { key: 'acme-corp' } },
      /a word that the host itself writes/,
    ],
  ])('refuses %s, and does not show it', (_what, content, complaint) => {
    const read = () => readSecretsFile(write(content));
    expect(read).toThrow(complaint);
    expect(read).not.toThrow(/hunter2/);
  });

  it('says when there is no such file', () => {
    expect(() => readSecretsFile(join(folder, 'nowhere.json'))).toThrow(/nowhere\.json/);
  });
});
