import { describe, expect, it } from 'vitest';
import { brokenSchema, problemByAuthor } from './authored-schema.ts';

describe('schemas that authors write', () => {
  it('are applied like any other', () => {
    const schema = { $id: 'x', type: 'object', required: ['n'], properties: { n: { type: 'integer' } } };
    expect(problemByAuthor(schema, { n: 1 })).toBeUndefined();
    expect(problemByAuthor(schema, {})).toEqual({ field: 'n', problem: 'is required' });
    expect(problemByAuthor({ ...schema }, { n: 'x' })).toMatchObject({ field: 'n' });
  });

  it.each([{ type: 5 }, { pattern: '(' }, { $ref: '#/nowhere' }])(
    'let nothing pass when they are broken: %j',
    (schema) => {
      expect(brokenSchema(schema)).toEqual(expect.any(String));
      expect(problemByAuthor(schema, 'anything')).toBeDefined();
    },
  );

  it('tell their patterns apart', () => {
    const schema = { properties: { a: { pattern: '^a$' }, b: { pattern: '^b$' } } };
    expect(problemByAuthor(schema, { a: 'a', b: 'b' })).toBeUndefined();
    expect(problemByAuthor(schema, { a: 'a', b: 'a' })).toMatchObject({ field: 'b' });
  });

  it('cannot stall the host with a pattern', () => {
    expect(problemByAuthor({ type: 'string', pattern: '^(a+)+$' }, `${'a'.repeat(50_000)}!`)).toBeDefined();
  });
});
