import { describe, expect, it } from 'vitest';
import { argumentsIn, fillTemplate, problemWithTemplate } from './url-template.ts';

const TEMPLATE = 'https://api.example.com/projects/{project}/tickets?by={by}';

const filled = (template: string, input: Record<string, never> | object) => {
  const made = fillTemplate(template, input as never);
  return 'url' in made ? made.url.href : made;
};

it('an address has arguments in its path and query', () => {
  expect(argumentsIn(TEMPLATE)).toEqual(['project', 'by']);
  expect(filled(TEMPLATE, { project: 7, by: 'Ada & Bo' })).toBe(
    'https://api.example.com/projects/7/tickets?by=Ada%20%26%20Bo',
  );
});

describe('an argument stays in its place', () => {
  it.each([
    'a/b',
    '../../admin',
    '..\\admin',
    'x?admin=1',
    'x#y',
    '@evil.example',
    '//evil.example',
    'https://evil.example',
    '%2e%2e',
    '%2F..',
    'a\r\nhost: evil.example',
    'a\tb',
    '{by}',
    'ä 😀',
    ';',
    ':8080',
  ])('%j', (value) => {
    const made = fillTemplate(TEMPLATE, { project: value, by: value });
    if (!('url' in made)) throw new Error('not filled');
    expect(made.url.origin).toBe('https://api.example.com');
    expect(made.url.pathname.split('/')).toHaveLength(4);
    expect(decodeURIComponent(made.url.pathname.split('/')[2]!)).toBe(value);
    expect([...made.url.searchParams]).toEqual([['by', value]]);
    expect(made.url.hash).toBe('');
  });
});

describe('an argument is refused', () => {
  it.each([['..'], ['.'], [''], [null], [['a']], [{ a: 1 }], ['\ud800'], [undefined]])(
    '%j in a path',
    (value) => {
      expect(filled(TEMPLATE, { project: value, by: 'x' })).toEqual({
        wrong: expect.stringContaining('project'),
      });
    },
  );

  it('in parts that are harmless alone', () => {
    expect(filled('https://api.example.com/{a}{b}/c', { a: '.', b: '.' })).toEqual({ wrong: 'a, b' });
    expect(filled('https://api.example.com/{a}{b}/c', { a: '.', b: 'x' })).toBe(
      'https://api.example.com/.x/c',
    );
  });

  it('that the input only inherits', () => {
    expect(filled('https://api.example.com/{constructor}', {})).toEqual({ wrong: 'constructor' });
  });
});

describe('an address is refused', () => {
  it.each([
    ['ftp://example.com/', /begin with https/],
    ['https://{host}/a', /only behind the host/],
    ['https://api.{host}/a', /only behind the host/],
    ['https://example.com{path}', /only behind the host/],
    ['{url}', /begin with https/],
    ['https://user:password@example.com/', /password/],
    ['https://example.com/a#b', /#/],
    ['https://example.com/{}', /brace/],
    ['https://example.com/{a b}', /brace/],
    ['https://example.com/a/../b', /here \/b/],
    ['https://example.com/a b', /here \/a%20b/],
  ])('%s', (template, problem) => expect(problemWithTemplate(template)).toMatch(problem));

  it.each(['https://example.com', 'https://example.com/', TEMPLATE, 'http://127.0.0.1:8080/{a}?b=c&d={d}'])(
    'unlike %s',
    (template) => expect(problemWithTemplate(template)).toBe(undefined),
  );
});
