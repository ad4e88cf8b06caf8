import { expect, it } from 'vitest';
import { refuseOtherSites, requireOwnPage } from './own-page.ts';

const HERE = { host: '127.0.0.1:4747' };
const CONSOLE = { 'x-baton-console': '1' };
const PUBLIC = 'https://baton.example.com';

const isAllowed = (
  check: typeof requireOwnPage,
  method: string,
  headers: Readonly<Record<string, string>>,
  host: Parameters<typeof requireOwnPage>[1] = {},
): boolean => {
  try {
    check({ method, headers: { ...HERE, ...headers } }, host);
    return true;
  } catch (error) {
    expect(error).toMatchObject({ code: 'forbidden' });
    return false;
  }
};

it.each<[boolean, string, Readonly<Record<string, string>>]>([
  [true, 'a page of the host', { 'sec-fetch-site': 'same-origin', ...CONSOLE }],
  [false, 'a page of the host without the header', { 'sec-fetch-site': 'same-origin' }],
  [false, 'another value of the header', { 'sec-fetch-site': 'same-origin', 'x-baton-console': 'true' }],
  [false, 'another port of the same machine', { 'sec-fetch-site': 'same-site', ...CONSOLE }],
  [false, 'another site', { 'sec-fetch-site': 'cross-site', ...CONSOLE }],
  [false, 'no page at all', { 'sec-fetch-site': 'none', ...CONSOLE }],
  [false, 'a made-up place', { 'sec-fetch-site': 'same-origin, cross-site', ...CONSOLE }],
  [true, 'the own origin, by an older browser', { origin: 'http://127.0.0.1:4747', ...CONSOLE }],
  [false, 'the own origin without the header', { origin: 'http://127.0.0.1:4747' }],
  [false, 'another port, by an older browser', { origin: 'http://127.0.0.1:8080', ...CONSOLE }],
  [false, 'another scheme', { origin: 'https://127.0.0.1:4747', ...CONSOLE }],
  [false, 'a sandboxed page', { origin: 'null', ...CONSOLE }],
  [false, 'an origin that only begins like it', { origin: 'http://127.0.0.1:47470', ...CONSOLE }],
  [false, 'neither header', CONSOLE],
  // What the browser says of the site counts more than an origin that equals ours.
  [
    false,
    'another site with our origin',
    { 'sec-fetch-site': 'cross-site', origin: 'http://127.0.0.1:4747', ...CONSOLE },
  ],
])('a change is allowed: %s, from %s', (allowed, _what, headers) => {
  for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
    expect(isAllowed(requireOwnPage, method, headers)).toBe(allowed);
  }
});

it.each<[boolean, string, Readonly<Record<string, string>>]>([
  [true, 'a page of the host', { 'sec-fetch-site': 'same-origin' }],
  [true, 'the address line', { 'sec-fetch-site': 'none' }],
  [true, 'a browser that says nothing', {}],
  [false, 'another site', { 'sec-fetch-site': 'cross-site' }],
  [false, 'another port of the same machine', { 'sec-fetch-site': 'same-site' }],
  [false, 'another origin, by an older browser', { origin: 'http://127.0.0.1:8080' }],
])('a read is allowed: %s, from %s', (allowed, _what, headers) => {
  expect(isAllowed(requireOwnPage, 'GET', headers)).toBe(allowed);
});

it('knows the address of the host behind a proxy, and of a host with TLS', () => {
  const from = (origin: string) => ({ origin, ...CONSOLE });
  expect(isAllowed(requireOwnPage, 'POST', from(PUBLIC), { publicUrl: PUBLIC })).toBe(true);
  expect(isAllowed(requireOwnPage, 'POST', from('http://127.0.0.1:4747'), { publicUrl: PUBLIC })).toBe(true);
  expect(isAllowed(requireOwnPage, 'POST', from(PUBLIC))).toBe(false);
  const tls = { file: 'cert.pem', keyFile: 'key.pem' };
  expect(isAllowed(requireOwnPage, 'POST', from('https://127.0.0.1:4747'), { tls })).toBe(true);
  expect(isAllowed(requireOwnPage, 'POST', from('http://127.0.0.1:4747'), { tls })).toBe(false);
});

it.each<[boolean, string, Readonly<Record<string, string>>]>([
  [true, 'a program', {}],
  [true, 'a page of the host', { 'sec-fetch-site': 'same-origin' }],
  [true, 'an older browser', { origin: 'http://127.0.0.1:4747' }],
  [false, 'another site', { 'sec-fetch-site': 'cross-site' }],
  [false, 'another port of the same machine', { 'sec-fetch-site': 'same-site' }],
  [false, 'another site, by an older browser', { origin: 'https://evil.example' }],
])('a sign-in is allowed: %s, from %s', (allowed, _what, headers) => {
  expect(isAllowed(refuseOtherSites, 'POST', headers)).toBe(allowed);
});
