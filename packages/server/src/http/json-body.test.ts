import { describe, expect, it } from 'vitest';
import { MAX_BODY_VALUES, requireFewValues } from './json-body.ts';

const check = (text: string) => () => requireFewValues(Buffer.from(text));
const listOf = (item: string, count: number) => `[${Array(count).fill(item).join(',')}]`;

describe('a body', () => {
  it('may hold many values, and no more', () => {
    expect(check(listOf('1', MAX_BODY_VALUES - 1))).not.toThrow();
    expect(check(listOf('1', MAX_BODY_VALUES + 1))).toThrow('more than 100000 values');
    expect(check(listOf('{}', MAX_BODY_VALUES / 2 + 1))).toThrow('values');
  });

  it('may hold long texts, whatever is in them', () => {
    expect(check(JSON.stringify({ text: '{[,]}"\\'.repeat(100_000) }))).not.toThrow();
    expect(check(JSON.stringify(['ends with a backslash \\', ','.repeat(200_000)]))).not.toThrow();
  });

  it('is refused when it is nested too deep, before it is read', () => {
    expect(check('['.repeat(100) + ']'.repeat(100))).not.toThrow();
    expect(check('['.repeat(101) + ']'.repeat(101))).toThrow('levels deep');
    expect(check('{"a":'.repeat(1_000_000))).toThrow('levels deep');
  });

  it('is left to the parser when it is broken', () => {
    expect(check('"never ends '.padEnd(300, 'x'))).not.toThrow();
    expect(check(']]]]'.padEnd(300, ' '))).not.toThrow();
  });
});
