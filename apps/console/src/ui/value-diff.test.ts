import { describe, expect, it } from 'vitest';
import { diffValues, sameValue } from './value-diff.ts';

describe('sameValue', () => {
  it('ignores the order of members and heeds that of lists', () => {
    expect(sameValue({ a: 1, b: { c: [1] } }, { b: { c: [1] }, a: 1 })).toBe(true);
    expect(sameValue([1, 2], [2, 1])).toBe(false);
  });

  it('tells a list from an object, null from an object, and a missing member from another one', () => {
    expect(sameValue([], {})).toBe(false);
    expect(sameValue(null, {})).toBe(false);
    expect(sameValue({ a: undefined }, { b: undefined })).toBe(false);
  });

  it('reads no members that an object has by birth', () => {
    expect(sameValue({ a: 1 }, { constructor: 1 })).toBe(false);
  });
});

describe('diffValues', () => {
  it('names the path to each difference', () => {
    const before = { kept: 1, list: [1, 2], gone: 'x', deep: { a: { b: 1 } } };
    const after = { kept: 1, list: [1, 3, 4], deep: { a: { b: 2 } }, fresh: null };
    expect(diffValues(before, after, 10)).toEqual({
      changes: [
        { kind: 'changed', path: ['list', '1'], before: 2, after: 3 },
        { kind: 'added', path: ['list', '2'], after: 4 },
        { kind: 'removed', path: ['gone'], before: 'x' },
        { kind: 'changed', path: ['deep', 'a', 'b'], before: 1, after: 2 },
        { kind: 'added', path: ['fresh'], after: null },
      ],
      more: false,
    });
  });

  it('stops at the limit and says so', () => {
    const { changes, more } = diffValues({}, { a: 1, b: 2, c: 3 }, 2);
    expect(changes).toHaveLength(2);
    expect(more).toBe(true);
  });

  it('finds nothing in equal values', () => {
    expect(diffValues({ a: [1] }, { a: [1] }, 0)).toEqual({ changes: [], more: false });
  });

  it('compares very deep values without a deep stack', () => {
    const deep = (end: string) => JSON.parse(`${'['.repeat(5000)}"${end}"${']'.repeat(5000)}`) as unknown;
    expect(diffValues(deep('a'), deep('b'), 5).changes).toHaveLength(1);
  });
});
