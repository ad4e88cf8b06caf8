import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { findHost } from './find-host.ts';

/** A data folder as a host on this machine leaves it. */
function dataFolder(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'baton-find-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

const left = { 'host.address': 'http://127.0.0.1:5001\n', 'dev-key': 'baton_dev_1\n' };

it.each([
  ['what the host left', {}, {}, 'http://127.0.0.1:5001', 'baton_dev_1'],
  [
    '--url',
    { BATON_URL: 'http://[::1]:1' },
    { url: 'http://localhost:2/' },
    'http://localhost:2',
    'baton_dev_1',
  ],
  ['BATON_URL', { BATON_URL: 'http://[::1]:1', BATON_PORT: '3' }, {}, 'http://[::1]:1', 'baton_dev_1'],
  ['BATON_PORT', { BATON_PORT: '3' }, {}, 'http://127.0.0.1:3', 'baton_dev_1'],
  [
    'BATON_PORT of a host that serves TLS',
    { BATON_PORT: '3', BATON_TLS_CERT: 'cert.pem' },
    {},
    'https://127.0.0.1:3',
    'baton_dev_1',
  ],
  ['--key', { BATON_API_KEY: 'a' }, { key: 'b' }, 'http://127.0.0.1:5001', 'b'],
  ['BATON_API_KEY', { BATON_API_KEY: 'a' }, {}, 'http://127.0.0.1:5001', 'a'],
  ['another machine', {}, { url: 'https://baton.example' }, 'https://baton.example', undefined],
])('the host and the key come from %s', (_, env, flags, url, apiKey) => {
  expect(findHost({ BATON_DATA: dataFolder(left), ...env }, flags)).toEqual({ url, apiKey });
});

it('is expected at the usual port, without a key, when nothing was left', () => {
  expect(findHost({ BATON_DATA: dataFolder({}) }, {})).toEqual({
    url: 'http://127.0.0.1:4747',
    apiKey: undefined,
  });
});
