import { describe, expect, it } from 'vitest';
import { matches, modelName } from './tool-ids.ts';

describe('an entry of an allow-list', () => {
  it.each([
    ['mcp:files/read_file', 'mcp:files/read_file'],
    ['mcp:files/*', 'mcp:files/read_file'],
    ['mcp:files/read*', 'mcp:files/read_file'],
    ['mcp:*', 'mcp:files/read_file'],
    ['*', 'http:ticket'],
  ])('%s means %s', (allowed, id) => expect(matches(allowed, id)).toBe(true));

  it.each([
    ['mcp:files/read_file', 'mcp:files/read_file2'],
    ['mcp:files/read_file', 'mcp:files/Read_File'],
    ['mcp:files/read_file', 'files_read_file'],
    ['files_read_file', 'mcp:files/read_file'],
    ['read_file', 'mcp:files/read_file'],
    ['mcp:files/', 'mcp:files/read_file'],
    ['mcp:files/*', 'mcp:files2/read_file'],
    ['mcp:files/read%5Ffile', 'mcp:files/read_file'],
    ['mcp:files/re\u0061d_file ', 'mcp:files/read_file'],
    ['mcp:files/ｒead_file', 'mcp:files/read_file'],
    ['mcp:*/read_file', 'mcp:files/read_file'],
    ['', 'mcp:files/read_file'],
    ['.*x', 'mcp:files/read_file'],
  ])('"%s" does not mean %s', (allowed, id) => expect(matches(allowed, id)).toBe(false));
});

describe('the name that a model is told', () => {
  it.each([
    ['mcp:files/read_file', 'files_read_file'],
    ['http:ticket', 'http_ticket'],
    ['baton:time', 'baton_time'],
  ])('of %s is %s', (id, name) => expect(modelName(id)).toBe(name));

  const odd = [
    'mcp:files/läs fil',
    'mcp:files/a/b',
    'mcp:files/a.b',
    'mcp:files/a_b',
    `mcp:files/${'x'.repeat(100)}`,
    `mcp:files/${'x'.repeat(101)}`,
    'mcp:files/😀',
    'mcp:files/😁',
  ];

  it('has only letters, digits, dashes and underscores, and differs for each id', () => {
    const names = odd.map(modelName);
    for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    expect(new Set(names).size).toBe(odd.length);
    expect(odd.map(modelName)).toEqual(names);
  });
});
