import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { includesText, indexOfText, lastIndexOfText, splitText } from './search-text.ts';

/** Long enough that the linear search is used. It has few letters, so that parts often nearly match. */
const long = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 600, maxLength: 900 });
const part = fc
  .string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 4 })
  .map((unit) => unit.repeat(120));

describe('searching for text', () => {
  it('finds what the built-in search finds', () => {
    fc.assert(
      fc.property(long, part, fc.nat({ max: 1000 }), fc.nat({ max: 3 }), (text, unit, from, times) => {
        const whole = text + unit.repeat(times) + text;
        expect(includesText(whole, unit)).toBe(whole.includes(unit));
        expect(indexOfText(whole, unit, from)).toBe(whole.indexOf(unit, from));
        expect(lastIndexOfText(whole, unit, from)).toBe(whole.lastIndexOf(unit, from));
        expect(splitText(whole, unit)).toEqual(whole.split(unit));
      }),
    );
  });

  it('reads each character of a text that almost matches everywhere a few times only', () => {
    let read = 0;
    const counted = (text: string) =>
      ({
        length: text.length,
        charCodeAt: (at: number) => {
          read += 1;
          return text.charCodeAt(at);
        },
      }) as unknown as string;
    const size = 200_000;
    expect(includesText(counted('a'.repeat(size)), counted(`${'a'.repeat(size / 2)}b`))).toBe(false);
    expect(read).toBeLessThan(size * 8);
  });
});
