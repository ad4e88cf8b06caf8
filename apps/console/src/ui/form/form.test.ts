import { describe, expect, it } from 'vitest';
import { fieldOfSchema, fieldOfVariable } from './field-spec.ts';
import { readField, readForm, refusedField } from './read-form.ts';

describe('the control for a variable', () => {
  it.each([
    ['a text', { name: 'a', type: 'string' }, { kind: 'text', initial: '', required: false }],
    [
      'a long text',
      { name: 'a', type: 'string', defaultValue: 'x\ny' },
      { kind: 'long-text', initial: 'x\ny' },
    ],
    ['a number', { name: 'a', type: 'number', defaultValue: 3 }, { kind: 'number', initial: '3' }],
    ['a switch', { name: 'a', type: 'boolean' }, { kind: 'boolean', initial: '' }],
    [
      'a list',
      { name: 'a', type: 'array', defaultValue: [] },
      { kind: 'json', json: 'array', initial: '[]' },
    ],
    ['a required one', { name: 'a', type: 'string', required: true }, { required: true }],
    [
      'a required one with a default',
      { name: 'a', type: 'string', required: true, defaultValue: 'x' },
      { required: false },
    ],
    ['a sensitive one', { name: 'a', type: 'string', sensitive: true }, { sensitive: true }],
  ] as const)('is right for %s', (_, variable, expected) => {
    expect(fieldOfVariable(variable)).toMatchObject(expected);
  });
});

describe('the control for a schema', () => {
  it.each([
    ['no schema', undefined, { kind: 'long-text' }],
    ['a choice', { enum: ['a', 'b'], default: 'b' }, { kind: 'choice', choices: ['a', 'b'], initial: '1' }],
    [
      'a whole number',
      { type: 'integer', minimum: 1, maximum: 5 },
      { kind: 'number', whole: true, least: 1, most: 5 },
    ],
    ['a short text', { type: 'string', maxLength: 40 }, { kind: 'text' }],
    ['a text', { type: 'string' }, { kind: 'long-text' }],
    ['a list of types', { type: ['string', 'null'] }, { kind: 'json' }],
    ['a description', { type: 'boolean', description: 'Whether.' }, { kind: 'boolean', hint: 'Whether.' }],
  ] as const)('is right for %s', (_, schema, expected) => {
    expect(fieldOfSchema('q', 'Question?', schema)).toMatchObject(expected);
  });
});

describe('a control is read', () => {
  const text = fieldOfVariable({ name: 'a', type: 'string', defaultValue: 'tides' });
  const number = fieldOfSchema('a', 'a', { type: 'integer', minimum: 1 });
  const object = fieldOfVariable({ name: 'a', type: 'object' });
  it.each([
    ['a default that was kept', text, 'tides', { kind: 'absent' }],
    ['a default that was removed', text, '', { kind: 'value', value: '' }],
    ['a text', text, ' owls ', { kind: 'value', value: ' owls ' }],
    ['no number', number, 'x', { kind: 'problem' }],
    ['a part of a number', number, '1.5', { kind: 'problem' }],
    ['a number below the least', number, '0', { kind: 'problem' }],
    ['a number', number, '2', { kind: 'value', value: 2 }],
    ['a missing number', number, ' ', { kind: 'problem' }],
    ['an object', object, '{"a": 1}', { kind: 'value', value: { a: 1 } }],
    ['a list in the place of an object', object, '[]', { kind: 'problem' }],
    ['half an object', object, '{"a": ', { kind: 'problem' }],
    ['no object', object, '', { kind: 'absent' }],
  ] as const)('%s', (_, spec, entered, reading) => {
    expect(readField(spec, entered)).toMatchObject(reading);
  });

  it('with the default, where nobody else fills it in', () => {
    expect(readField(text, 'tides', true)).toEqual({ kind: 'value', value: 'tides' });
  });

  it('with the value of a choice, also when it is false or null', () => {
    const choice = fieldOfSchema('a', 'a', { enum: [false, null] });
    expect([readField(choice, '0'), readField(choice, '1')]).toEqual([
      { kind: 'value', value: false },
      { kind: 'value', value: null },
    ]);
  });
});

it('collects values and problems', () => {
  const specs = [
    fieldOfVariable({ name: 'topic', type: 'string', required: true }),
    fieldOfVariable({ name: 'count', type: 'number' }),
  ];
  expect(readForm(specs, { count: '4' })).toEqual({
    values: { count: 4 },
    problems: { topic: 'A value is needed here.' },
  });
});

it('finds the control that the host has refused', () => {
  const specs = [
    fieldOfVariable({ name: 'top', type: 'string' }),
    fieldOfVariable({ name: 'topic', type: 'string' }),
  ];
  expect(refusedField('inputs.topic', 'inputs', specs)).toBe('topic');
  expect(refusedField('/inputs/topic/0', 'inputs', specs)).toBe('topic');
  expect(refusedField('tags', 'inputs', specs)).toBeUndefined();
  expect(refusedField(undefined, 'inputs', specs)).toBeUndefined();
});
