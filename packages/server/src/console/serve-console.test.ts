import { expect, it } from 'vitest';
import { encodingFor, namesHtml, takesHtml } from './serve-console.ts';

it.each<[string | undefined, names: boolean, takes: boolean]>([
  [undefined, false, true],
  ['', false, true],
  ['*/*', false, true],
  ['text/html', true, true],
  ['TEXT/HTML', true, true],
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', true, true],
  ['application/json, text/html;q=0.1', true, true],
  ['text/html;level=1', true, true],
  ['text/html;q=0', false, false],
  ['text/html;q=0, */*', false, true],
  ['text/*', false, true],
  ['application/json', false, false],
  ['text/htmlx', false, false],
  ['text/event-stream', false, false],
])('%j names HTML: %s, takes it: %s', (accept, names, takes) => {
  expect([namesHtml(accept), takesHtml(accept)]).toEqual([names, takes]);
});

it.each<[string | undefined, string | undefined]>([
  [undefined, undefined],
  ['gzip, deflate, br, zstd', 'br'],
  ['gzip', 'gzip'],
  ['br;q=0, gzip;q=0.5', 'gzip'],
  ['BR', 'br'],
  ['identity', undefined],
  ['*', undefined],
  ['gzip;q=nonsense', undefined],
])('of br and gzip, %j takes %j', (header, encoding) => {
  expect(encodingFor(header, ['br', 'gzip'])).toBe(encoding);
  expect(encodingFor(header, [])).toBeUndefined();
});
