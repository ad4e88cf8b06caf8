import { describe, expect, it } from 'vitest';
import { brokenSchema, problemByAuthor, SCHEMA_STEPS } from './authored-schema.ts';
import { meterOf } from './meter.ts';

describe('schemas that authors write', () => {
  it('are applied like any other', () => {
    const schema = { $id: 'x', type: 'object', required: ['n'], properties: { n: { type: 'integer' } } };
    expect(problemByAuthor(schema, { n: 1 })).toBeUndefined();
    expect(problemByAuthor(schema, {})).toEqual({ field: 'n', problem: 'is required' });
    expect(problemByAuthor({ ...schema }, { n: 'x' })).toEqual({ field: 'n', problem: 'must be an integer' });
  });

  it.each([
    [{ type: 'string' }, 1, { field: '', problem: 'must be a string' }],
    [{ type: ['string', 'null'] }, 1, { field: '', problem: 'must be string,null' }],
    [{ additionalProperties: false }, { x: 1 }, { field: 'x', problem: 'is not a known field' }],
    [
      { properties: { a: { items: { minimum: 2 } } } },
      { a: [3, 1] },
      { field: 'a.1', problem: 'must be >= 2' },
    ],
    [{ enum: ['a', 'b'] }, 'c', { field: '', problem: 'must be one of a, b' }],
    [{ anyOf: [{ required: ['a'] }, { properties: { b: { type: 'null' } } }] }, { b: 1 }, { field: 'b' }],
    [
      { uniqueItems: true },
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      { field: '' },
    ],
  ])('%j says about %j what is wrong, and where', (schema, value, problem) => {
    expect(problemByAuthor(schema, value)).toMatchObject(problem);
  });

  it.each([
    { type: 5 },
    { pattern: '(' },
    { $ref: '#/nowhere' },
    { $ref: 'https://example.com/schema' },
    { formatMinimum: '2026-01-01', format: 'date' },
  ])('let nothing pass when they are broken: %j', (schema) => {
    expect(brokenSchema(schema)).toEqual(expect.any(String));
    expect(problemByAuthor(schema, 'anything')).toBeDefined();
  });

  it('follow references, also in circles through the value', () => {
    const tree = { type: 'object', properties: { kids: { items: { $ref: '#' } } }, required: ['n'] };
    expect(problemByAuthor(tree, { n: 1, kids: [{ n: 2 }] })).toBeUndefined();
    expect(problemByAuthor(tree, { n: 1, kids: [{ n: 2, kids: [{}] }] })).toMatchObject({
      field: 'kids.0.kids.0.n',
    });
  });

  it('tell their patterns apart', () => {
    const schema = { properties: { a: { pattern: '^a$' }, b: { pattern: '^b$' } } };
    expect(problemByAuthor(schema, { a: 'a', b: 'b' })).toBeUndefined();
    expect(problemByAuthor(schema, { a: 'a', b: 'a' })).toMatchObject({ field: 'b' });
  });
});

describe('a check that takes too long', () => {
  const doubling = (rule: 'allOf' | 'anyOf' | 'oneOf') => ({
    $ref: '#/$defs/d0',
    $defs: Object.fromEntries([
      ...Array.from({ length: 30 }, (_, n) => [
        `d${n}`,
        { [rule]: [1, 2].map(() => ({ $ref: `#/$defs/d${n + 1}` })) },
      ]),
      ['d30', rule === 'allOf' ? true : { type: 'string' }],
    ]),
  });
  const many = Array.from({ length: 60_000 }, (_, n) => ({ n }));

  it.each([
    ['references that double', doubling('allOf'), 1],
    ['references that double and fail', doubling('anyOf'), 1],
    ['references that double, of which one may fit', doubling('oneOf'), 1],
    ['a reference to itself', { $ref: '#' }, 1],
    ['a pattern over a long text', { pattern: '(a|b){1,300}c' }, 'ab'.repeat(20_000)],
    [
      'a pattern over many names',
      { patternProperties: { '(a|b){1,300}c': true } },
      Object.fromEntries(many.map(({ n }) => [`ab${n}`, n])),
    ],
    [
      'many allowed values',
      { items: { enum: Array.from({ length: 4000 }, (_, n) => `v${n}`) } },
      many.map(() => 'v3999'),
    ],
    [
      'one large constant',
      { items: { const: Object.fromEntries(many.slice(0, 2000).map(({ n }) => [`k${n}`, n])) } },
      many.slice(0, 500).map(() => Object.fromEntries(many.slice(0, 2000).map(({ n }) => [`k${n}`, n]))),
    ],
    [
      'a list in which all lists differ',
      { uniqueItems: true, items: { uniqueItems: true } },
      Array.from({ length: 60 }, (_, a) => Array.from({ length: 5000 }, (_, b) => [a, b])),
    ],
  ])('is refused, and says so: %s', (_what, schema, value) => {
    const meter = meterOf('the check against the schema takes', SCHEMA_STEPS);
    expect(problemByAuthor(schema, value, meter)).toEqual({
      field: '',
      problem: `cannot be checked: the check against the schema takes more than ${SCHEMA_STEPS} steps`,
    });
  });

  it('is linear in a list whose items must differ', () => {
    const stepsFor = (count: number) => {
      const meter = meterOf('the check takes', Number.MAX_SAFE_INTEGER);
      expect(problemByAuthor({ uniqueItems: true }, many.slice(0, count), meter)).toBeUndefined();
      return meter.limit - meter.left;
    };
    expect(stepsFor(6000)).toBeLessThan(stepsFor(3000) * 2.1);
    const numbers = many.map(({ n }) => n);
    expect(problemByAuthor({ uniqueItems: true }, numbers)).toBeUndefined();
  });

  it.each([
    ['parts', { enum: Array.from({ length: 6000 }, (_, n) => n) }, 'more than 5000 parts'],
    ['text', { description: 'x'.repeat(200_000) }, 'more than 131072 characters'],
    ['a pattern', { pattern: '((a{1,30}){1,30}){1,30}' }, 'the pattern is too large'],
  ])('is not begun with a schema that is too large: %s', (_what, schema, why) => {
    expect(brokenSchema(schema)).toContain(why);
    expect(problemByAuthor(schema, {})?.problem).toContain(why);
  });

  it('takes no longer with long text in a format', () => {
    expect(problemByAuthor({ format: 'email' }, `${'a'.repeat(100_000)}!`)).toMatchObject({
      problem: 'must match format "email"',
    });
    expect(problemByAuthor({ format: 'byte' }, 'YWJj'.repeat(50_000))).toBeUndefined();
  });
});
