import { describe, expect, it } from 'vitest';
import { isoTime, LATEST_TIME, laterBy } from './time.ts';

describe('times', () => {
  it.each([
    [0, '1970-01-01T00:00:00.000Z'],
    [1e300, '+275760-09-13T00:00:00.000Z'],
    [Number.POSITIVE_INFINITY, '+275760-09-13T00:00:00.000Z'],
    [-1e300, '-271821-04-20T00:00:00.000Z'],
    [Number.NaN, '1970-01-01T00:00:00.000Z'],
  ])('shows %s as a date', (ms, text) => {
    expect(isoTime(ms)).toBe(text);
  });

  it('never leave the range of dates', () => {
    expect(laterBy(5, 7)).toBe(12);
    expect(laterBy(LATEST_TIME, 1)).toBe(LATEST_TIME);
    expect(laterBy(0, Number.MAX_VALUE)).toBe(LATEST_TIME);
  });
});
