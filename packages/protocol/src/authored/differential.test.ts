import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormatsModule from 'ajv-formats';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { brokenSchema, problemByAuthor } from '../authored-schema.ts';

const addFormats = addFormatsModule as unknown as (ajv: Ajv2020) => void;

const NAMES = ['a', 'b', 'c'];
const name = fc.constantFrom(...NAMES);
const scalar = fc.oneof(
  fc.constantFrom(0, 1, 2, 5, 1.5, -1),
  fc.constantFrom('', 'a', 'bb', 'ab1', '😀', '2026-01-01'),
  fc.boolean(),
  fc.constant(null),
);
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    scalar,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(name, tie('value'), { maxKeys: 3 }),
  ),
}));

const type = fc.constantFrom('string', 'number', 'integer', 'boolean', 'null', 'array', 'object');
const small = fc.nat({ max: 3 });
const { schema } = fc.letrec((tie) => {
  const part = tie('schema');
  const parts = fc.array(part, { minLength: 1, maxLength: 3 });
  const members = fc.dictionary(name, part, { maxKeys: 3 });
  return {
    schema: fc.oneof(
      { maxDepth: 3, depthSize: 'small' },
      fc.boolean(),
      fc.record(
        {
          type: fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 3 })),
          minimum: small,
          exclusiveMaximum: small,
          multipleOf: fc.constantFrom(1, 2, 0.5),
          minLength: small,
          maxLength: small,
          pattern: fc.constantFrom('^a', 'b+$', '[0-9]'),
          format: fc.constantFrom('date', 'email', 'unheard-of'),
        },
        { requiredKeys: [] },
      ),
      fc.record({
        enum: fc.uniqueArray(value, { minLength: 1, maxLength: 3, selector: (one) => JSON.stringify(one) }),
      }),
      fc.record({ const: value }),
      fc.record(
        // biome-ignore lint/suspicious/noThenProperty: the keyword has this name.
        { not: part, anyOf: parts, oneOf: parts, allOf: parts, if: part, then: part, else: part },
        { requiredKeys: [] },
      ),
      fc.record(
        {
          minItems: small,
          maxItems: small,
          uniqueItems: fc.boolean(),
          prefixItems: parts,
          items: part,
          unevaluatedItems: part,
        },
        { requiredKeys: [] },
      ),
      // Never together with prefixItems: the other validator then accepts an empty list by mistake.
      fc.record(
        {
          contains: fc.constantFrom({ type: 'string' }, { minimum: 1 }, { const: 'a' }),
          minContains: small,
          maxContains: small,
        },
        { requiredKeys: ['contains'] },
      ),
      fc.record(
        {
          minProperties: small,
          maxProperties: small,
          required: fc.uniqueArray(name, { maxLength: 2 }),
          properties: members,
          patternProperties: fc.dictionary(fc.constantFrom('^a', '[bc]'), part, { maxKeys: 2 }),
          additionalProperties: part,
          propertyNames: part,
          dependentRequired: fc.dictionary(name, fc.uniqueArray(name, { maxLength: 2 }), { maxKeys: 2 }),
          dependentSchemas: members,
          allOf: parts,
          unevaluatedProperties: part,
        },
        { requiredKeys: [] },
      ),
      fc.record({ $ref: fc.constantFrom('#/$defs/x', '#/$defs/y', '#named') }),
    ),
  };
});

const whole = fc.record({ base: schema, x: schema, y: schema }).map(({ base, x, y }) => ({
  allOf: [base],
  $defs: { x, y, z: { $anchor: 'named', type: 'string' } },
}));

describe('schemas that authors write', () => {
  it('mean what another validator says they mean', () => {
    fc.assert(
      fc.property(whole.map(plain), value.map(plain), (given, tried) => {
        fc.pre(!leadsInCircles(given.$defs));
        const fits = otherVerdict(given, tried);
        fc.pre(fits !== 'defect');
        expect(brokenSchema(given)).toBeUndefined();
        expect(problemByAuthor(given, tried) === undefined).toBe(fits);
      }),
      { numRuns: 200 },
    );
  });
});

/** The code that the other validator generates refers to a name that it never declared, for some schemas. */
function otherVerdict(schema: object, tried: unknown): boolean | 'defect' {
  const ajv = new Ajv2020({ strict: false, logger: false });
  addFormats(ajv);
  const check = ajv.compile(schema);
  try {
    return check(tried);
  } catch (problem) {
    if (problem instanceof ReferenceError) return 'defect';
    throw problem;
  }
}

/** Makes ordinary objects, as JSON.parse does. The generator also makes objects without a prototype. */
function plain<T>(made: T): T {
  return JSON.parse(JSON.stringify(made)) as T;
}

/** The other validator does not terminate if a definition refers to itself for the same value. */
function leadsInCircles(definitions: object): boolean {
  return JSON.stringify(definitions).includes('#/$defs/');
}
