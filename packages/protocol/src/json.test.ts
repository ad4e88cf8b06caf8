import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isJsonObject, storableJson, toJson } from './json.ts';

function nested(levels: number): unknown {
  let value: unknown = 'core';
  for (let level = 0; level < levels; level++) value = [value];
  return value;
}

describe('toJson', () => {
  it.each([
    ['null', null],
    ['text', 'text'],
    ['a boolean', false],
    ['a number', -1.5],
    ['a list', [1, [2, 'three']]],
    ['an object', { a: { b: [null] } }],
  ])('keeps %s as it is', (_, value) => {
    expect(toJson(value)).toEqual(value);
  });

  it('gives what storing and reading back would give', () => {
    const value = { gone: undefined, zero: -0, list: [-0, { also: undefined }] };
    expect(toJson(value)).toStrictEqual(JSON.parse(JSON.stringify(value)));
  });

  it('turns -0 into 0', () => {
    expect(Object.is(toJson(-0), 0)).toBe(true);
  });

  it('turns big integers, which expressions compute with, into numbers', () => {
    expect(toJson({ count: 42n })).toEqual({ count: 42 });
  });

  it('turns maps, which expressions may yield, into objects', () => {
    expect(toJson(new Map([['a', new Map([['b', 1n]])]]))).toEqual({ a: { b: 1 } });
  });

  it('accepts objects without a prototype', () => {
    expect(toJson(Object.assign(Object.create(null), { a: 1 }))).toEqual({ a: 1 });
  });

  it('copies, so that a later change of the source changes nothing', () => {
    const source = { list: [1] };
    const copy = toJson(source);
    source.list.push(2);
    expect(copy).toEqual({ list: [1] });
  });

  it.each([
    ['NaN', Number.NaN],
    ['an infinity', Number.POSITIVE_INFINITY],
    ['nothing at all', undefined],
    ['a function', () => 1],
    ['a symbol', Symbol('s')],
    ['a date', new Date(0)],
    ['an instance of a class', new URL('http://localhost')],
    ['a hole in a list', [1, undefined]],
    ['an infinity deep inside', { a: [{ b: Number.NEGATIVE_INFINITY }] }],
  ])('refuses %s', (_, value) => {
    expect(() => toJson(value)).toThrow(TypeError);
  });

  it('refuses a key that would reach the prototype', () => {
    const hostile: unknown = JSON.parse('{"safe": 1, "__proto__": {"admin": true}}');
    expect(() => toJson(hostile)).toThrow(/__proto__/);
  });

  it('refuses such a key in a map as well', () => {
    expect(() => toJson(new Map([['__proto__', { admin: true }]]))).toThrow(/__proto__/);
  });

  it('refuses nesting that has no end, and allows 64 levels', () => {
    expect(toJson(nested(64))).toEqual(nested(64));
    expect(() => toJson(nested(65))).toThrow(/nested more than 64/);
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    expect(() => toJson(circle)).toThrow(/nested/);
  });
});

describe('isJsonObject', () => {
  it.each([
    [{}, true],
    [{ a: 1 }, true],
    [[], false],
    [null, false],
    ['text', false],
    [undefined, false],
  ])('%o: %s', (value, expected) => {
    expect(isJsonObject(value)).toBe(expected);
  });
});

describe('storableJson', () => {
  it('makes of a parsed text what toJson makes of it', () => {
    const outcome = (read: (value: unknown) => unknown, text: string) => {
      try {
        return { value: read(JSON.parse(text)) };
      } catch (error) {
        return { refusal: String(error) };
      }
    };
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(outcome(storableJson, text)).toStrictEqual(outcome(toJson, text));
      }),
      { examples: [['{"__proto__":null}']] },
    );
  });

  it.each(['-0', '[-0]', '{"a":{"b":[1,-0]}}'])('turns -0 into 0 in %s', (text) => {
    expect(storableJson(JSON.parse(text))).toStrictEqual(toJson(JSON.parse(text)));
  });

  it.each(['1e999', '[[-1e999]]', '{"__proto__":1}', '[{"a":{"__proto__":null}}]'])('refuses %s', (text) => {
    expect(() => toJson(JSON.parse(text))).toThrow(TypeError);
    expect(() => storableJson(JSON.parse(text))).toThrow(TypeError);
  });

  it('refuses nesting at the same depth as toJson', () => {
    for (let levels = 60; levels < 70; levels += 1) {
      const refuses = (read: (value: unknown) => unknown) => {
        try {
          return read(nested(levels)) === undefined;
        } catch {
          return true;
        }
      };
      expect(refuses(storableJson), `${levels} levels`).toBe(refuses(toJson));
    }
  });
});
