import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson, digest } from './canonical.ts';
import { type Json, toJson } from './json.ts';

const isHarmless = (value: unknown) => !JSON.stringify(value).includes('"__proto__"');

describe('canonicalJson', () => {
  it.each<[Json, string]>([
    [null, 'null'],
    [{ b: 1, a: 2 }, '{"a":2,"b":1}'],
    [{ list: [3, 1, 2] }, '{"list":[3,1,2]}'],
    [{ z: { y: 1, x: 2 } }, '{"z":{"x":2,"y":1}}'],
    [1e21, '1e+21'],
    [0.000001, '0.000001'],
    [333333333.3333333, '333333333.3333333'],
    ['\u20ac$\u000f\n"\\', '"€$\\u000f\\n\\"\\\\"'],
    // Keys are ordered by UTF-16 code units: the emoji's surrogate comes before the private-use character.
    [{ '\ue000': 1, '😀': 2 }, '{"😀":2,"\ue000":1}'],
  ])('writes %j as %s', (value, text) => {
    expect(canonicalJson(value)).toBe(text);
  });

  it('means the same when it is read back', () => {
    fc.assert(
      // Values with a `__proto__` key are refused before they get here.
      fc.property(fc.jsonValue({ maxDepth: 4 }).filter(isHarmless), (value) => {
        const json = toJson(value);
        expect(JSON.parse(canonicalJson(json))).toEqual(json);
      }),
    );
  });
});

describe('digest', () => {
  it('is the SHA-256 of the canonical text, in lowercase hex', () => {
    const value = { name: 'Ada', tags: ['é', '1'] };
    expect(digest(value)).toBe(createHash('sha256').update(canonicalJson(value), 'utf8').digest('hex'));
  });

  it('does not depend on the order of keys', () => {
    expect(digest({ a: 1, b: { c: 2, d: 3 } })).toBe(digest({ b: { d: 3, c: 2 }, a: 1 }));
  });

  it('depends on the order of lists', () => {
    expect(digest([1, 2])).not.toBe(digest([2, 1]));
  });
});
