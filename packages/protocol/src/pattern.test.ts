import { RE2JS } from 're2js';
import { describe, expect, it } from 'vitest';
import { meterOf, TooMuchWorkError } from './meter.ts';
import { compilePattern, MAX_PATTERN_SIZE } from './pattern.ts';
import { expandedSize } from './pattern-size.ts';

describe('the size of a pattern', () => {
  it.each([
    'abc',
    '^h.*o$',
    '(a{0,100}){0,10}b',
    '(a|b|ab){200}',
    '((a{10}){10}){10}',
    '^(a?){500}a{500}$',
    '(?:a{2,3}){4,}(?P<name>x)y',
    '(?i)(?:[a-z]{1,200}){1,4}9',
    '[^]x{3}](b)',
    '\\Qa{9}(\\E{40}',
    'a\\{3}',
    '\\p{L}{5}\\pN',
    'x{1000}',
  ])('%s is about what the compiler makes of it', (source) => {
    const made = RE2JS.compile(source).programSize();
    expect(expandedSize(source)).toBeGreaterThanOrEqual(made * 0.4 - 8);
    expect(expandedSize(source)).toBeLessThanOrEqual(made * 3 + 80);
  });

  it.each([
    '((a{1,30}){1,30}){1,30}',
    'a{1000}'.repeat(500),
    '(((((x{30}){30}){30}){30}){30}){30}',
    '\\pL'.repeat(300),
  ])('is refused before anything is compiled: %s', (source) => {
    expect(() => compilePattern(source)).toThrow(`and ${MAX_PATTERN_SIZE} are allowed`);
  });
});

describe('a match', () => {
  it('is charged by the length of the text and the size of the pattern', () => {
    const used = (source: string, length: number) => {
      const meter = meterOf('the match takes', Number.MAX_SAFE_INTEGER);
      compilePattern(source).matches('a'.repeat(length), meter);
      return meter.limit - meter.left;
    };
    expect(used('b', 2000)).toBeGreaterThan(used('b', 1000) * 1.9);
    expect(used('(?:b){1,500}', 1000)).toBeGreaterThan(used('b', 1000) * 10);
  });

  it('is not begun when the meter does not allow it', () => {
    const pattern = compilePattern('(a|b){1,300}c');
    expect(() => pattern.matches('ab'.repeat(50_000), meterOf('the match takes', 500_000))).toThrow(
      TooMuchWorkError,
    );
  });
});
