import type { Json, JsonObject } from '@baton/protocol';
import { describe, expect, it } from 'vitest';
import { fitsStrictMode } from './to-call.ts';

const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
  ...more,
});
const text: JsonObject = { type: 'string' };
const loose: JsonObject = {
  type: 'object',
  properties: { a: text },
  required: [],
  additionalProperties: false,
};

/** An object within an object, so many levels deep. */
function nested(levels: number): JsonObject {
  return levels === 1 ? object({ a: text }) : object({ inner: nested(levels - 1) });
}

const many = (count: number): JsonObject =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${at}`, text]));

describe('a schema for the strict mode', () => {
  it.each<[string, Json]>([
    ['an object with all its properties required', object({ a: text, b: { type: ['string', 'null'] } })],
    [
      'lists, alternatives and definitions of such objects',
      object(
        {
          list: { type: 'array', items: object({ a: text }) },
          either: { anyOf: [object({ a: text }), { type: 'null' }] },
          named: { $ref: '#/$defs/one' },
          fixed: { enum: ['x', 'y'] },
        },
        { $defs: { one: object({ a: text }) }, title: 'T', description: 'D' },
      ),
    ],
    ['objects four levels deep, with a text within', nested(4)],
    ['a hundred properties', object(many(100))],
  ])('is taken: %s', (_, schema) => expect(fitsStrictMode(schema)).toBe(true));

  it.each<[string, Json]>([
    ['no schema', true],
    ['a text at the top', text],
    ['an alternative at the top', { anyOf: [object({ a: text })] }],
    ['a property that is not required', loose],
    ['other properties', object({ a: text }, { additionalProperties: true })],
    ['nothing said of other properties', { type: 'object', properties: {}, required: [] }],
    ['a keyword outside of the subset', object({ a: { type: 'string', pattern: '^a' } })],
    ['a property that is no schema', object({ a: true })],
    ['a loose object in a list', object({ list: { type: 'array', items: loose } })],
    ['a loose object among alternatives', object({ either: { anyOf: [text, loose] } })],
    ['a loose object among definitions', object({ a: text }, { $defs: { one: loose } })],
    ['a loose object that may be null', object({ a: { ...loose, type: ['object', 'null'] } })],
    ['a loose object without a type', object({ a: { properties: { b: text }, required: [] } })],
    ['objects five levels deep, with a text within', nested(5)],
    ['a hundred and one properties', object(many(101))],
    ['more than a hundred properties together', object({ a: object(many(60)), b: object(many(60)) })],
  ])('is not taken: %s', (_, schema) => expect(fitsStrictMode(schema)).toBe(false));
});
