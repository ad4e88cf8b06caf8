import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson, digest } from './canonical.ts';
import type { Json } from './json.ts';
import { illFormedAt, mayBeIllFormed, requireWellFormed, wellFormed } from './well-formed.ts';

const HALF = '\ud83d';

describe('half of a character', () => {
  it.each<[string, Json, string | undefined]>([
    ['a whole emoji', { a: '😀' }, undefined],
    ['its escape as text', { a: '\\ud83d' }, undefined],
    ['a text', HALF, ''],
    ['the second half', { a: '\ude00' }, 'a'],
    ['the halves the wrong way round', { a: '\ude00\ud83d' }, 'a'],
    ['in a list', { a: ['ok', { b: `cut ${HALF}` }] }, 'a.1.b'],
    ['in a name', { a: { [`x${HALF}`]: 1 } }, 'a.x\ufffd'],
  ])('is found: %s', (_what, value, field) => {
    expect(illFormedAt(value)).toBe(field);
  });

  it('is replaced in texts and names, and nothing else is touched', () => {
    const clean = { a: ['😀', 1, null, true] };
    expect(wellFormed(clean)).toBe(clean);
    expect(wellFormed({ [`k${HALF}`]: [`${HALF}x`, { n: 1 }] })).toEqual({
      'k\ufffd': ['\ufffdx', { n: 1 }],
    });
  });

  it('is refused with the name of the field', () => {
    expect(() => requireWellFormed({ a: { b: HALF } }, 'The body')).toThrow(
      expect.objectContaining({
        code: 'validation_error',
        message: expect.stringMatching(/^The body: a\.b holds half of a character/),
        details: expect.objectContaining({ field: 'a.b' }),
      }),
    );
    expect(() => requireWellFormed({ a: '😀' }, 'The body')).not.toThrow();
  });

  it('never escapes the look at the text, and a value without one is the same value', () => {
    fc.assert(
      fc.property(fc.object({ stringUnit: 'binary', values: [fc.string({ unit: anyUnit })] }), (value) => {
        const ill = illFormedAt(value) !== undefined;
        if (ill) expect(mayBeIllFormed(JSON.stringify(value))).toBe(true);
        else expect(wellFormed(value)).toBe(value);
        expect(illFormedAt(wellFormed(value))).toBeUndefined();
      }),
    );
  });

  it('has a digest: the one of what is recorded in its place', () => {
    expect(canonicalJson({ a: HALF })).toBe('{"a":"\ufffd"}');
    expect(digest({ a: HALF })).toBe(digest({ a: '\ufffd' }));
  });
});

/** Any code unit. Surrogates are more frequent than in random text. */
const anyUnit = fc.oneof(
  fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
  fc.integer({ min: 0xd800, max: 0xdfff }).map((code) => String.fromCharCode(code)),
);
