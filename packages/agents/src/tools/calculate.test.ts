import { describe, expect, it } from 'vitest';
import { calculate } from './calculate.ts';

describe('calculate', () => {
  it.each([
    ['1 + 2 * 3', 7],
    ['(1 + 2) * 3', 9],
    ['2 ^ 3 ^ 2', 512],
    ['-2 ^ 2', -4],
    ['2 ^ -1', 0.5],
    ['10 - 4 - 3', 3],
    ['7 % 4 / 2', 1.5],
    ['1.5e3 + .5', 1500.5],
    ['max(1, 2, min(5, 4)) + sqrt(16)', 8],
    ['  round(2.5)  ', 3],
    ['--3', 3],
  ])('%s is %d', (text, value) => expect(calculate(text)).toBe(value));

  it.each([
    ['', /ends too early/],
    ['1 +', /ends too early/],
    ['1 2', /"2" is not expected/],
    ['(1', /ends too early/],
    ['1)', /"\)" is not expected/],
    ['process', /"process" is not expected/],
    ['constructor(1)', /"constructor" is not expected/],
    ['abs', /ends too early/],
    ['1; 2', /";" is not part of arithmetic/],
    ['1 / 0', /division by zero/],
    ['1 % 0', /division by zero/],
    ['sqrt(-1)', /not a number/],
    ['9 ^ 9 ^ 9', /not a number/],
    ['1'.repeat(1001), /more than 1000 characters/],
    [`${'('.repeat(400)}1${')'.repeat(400)}`, /nested too deeply/],
    [`${'-'.repeat(900)}1`, /nested too deeply/],
  ])('refuses "%s"', (text, problem) => expect(() => calculate(text)).toThrow(problem));
});
