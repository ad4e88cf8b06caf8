import { minimalInstance } from '@baton/agents';
import type { ModelCall } from '@baton/engine/ports';
import { type Json, type ModelRequest, problemByAuthor } from '@baton/protocol';
import { describe, expect, it } from 'vitest';
import { UNHEARD } from '../testkit/unheard.ts';
import { createMockModel, STOP_REASONS } from './mock-model.ts';

const REQUEST: ModelRequest = {
  provider: 'mock',
  model: 'm',
  messages: [{ role: 'user', content: 'hello' }],
  responseFormat: {
    type: 'json',
    schema: { type: 'object', required: ['a'], properties: { a: { type: 'string' } } },
  },
};
const call = (nodeId = 'n', tenant = 'acme', request = REQUEST): ModelCall => ({
  request,
  tenant,
  nodeId,
  key: 'k',
  ...UNHEARD,
});

describe('the mock provider', () => {
  it('may be asked again by a replay', () => {
    expect(createMockModel().reexecutable).toBe(true);
  });

  it('says what it was told, entry by entry, and repeats the last one', async () => {
    const mock = createMockModel();
    mock.program('acme', 'n', [{ content: 'one' }, { content: 'two' }]);
    const heard = [];
    for (let at = 0; at < 4; at += 1) heard.push(await mock.ask(call()));
    expect(heard.map((answer) => answer.kind === 'text' && answer.text)).toEqual([
      'one',
      'two',
      'two',
      'two',
    ]);
  });

  it('forgets a program for the next one, and at a reset of its tenant', async () => {
    const mock = createMockModel();
    const heard = async (tenant: string) => {
      const answer = await mock.ask(call('n', tenant));
      return answer.kind === 'text' ? answer.text : answer.kind;
    };
    mock.program('acme', 'n', [{ content: 'one' }]);
    mock.program('other', 'n', [{ content: 'theirs' }]);
    mock.program('acme', 'n', [{ content: 'instead' }]);
    expect([await heard('acme'), await heard('other')]).toEqual(['instead', 'theirs']);
    mock.reset('acme');
    expect([await heard('acme'), await heard('other')]).toEqual(['{"a":"mock"}', 'theirs']);
  });

  it.each([
    ['end_turn', { kind: 'text', stopReason: 'end' }],
    ['stop_sequence', { kind: 'text', stopReason: 'end' }],
    ['max_tokens', { kind: 'text', stopReason: 'max_tokens' }],
    ['length', { kind: 'text', stopReason: 'length' }],
    ['safety', { kind: 'refusal', text: 'said' }],
    ['content_filter', { kind: 'refusal', text: 'said' }],
  ] as const)('means by %s what a provider would', async (stopReason, expected) => {
    const mock = createMockModel();
    mock.program('acme', 'n', [{ content: 'said', stopReason }]);
    expect(await mock.ask(call())).toMatchObject(expected);
    expect(STOP_REASONS).toContain(stopReason);
  });

  it('refuses in the words it was given', async () => {
    const mock = createMockModel();
    mock.program('acme', 'n', [{ content: 'said', refusalText: 'No.' }]);
    expect(await mock.ask(call())).toMatchObject({ kind: 'refusal', text: 'No.' });
  });

  it('counts the same tokens for the same words', async () => {
    const mock = createMockModel();
    const [first, second] = [await mock.ask(call()), await mock.ask(call('another'))];
    expect(first).toMatchObject({ usage: { inputTokens: 3, outputTokens: 3 } });
    expect(second).toEqual(first);
  });

  it('keeps no more programs than it must', async () => {
    const mock = createMockModel();
    for (let at = 0; at <= 1000; at += 1) mock.program('acme', `n${at}`, [{ content: 'told' }]);
    expect(await mock.ask(call('n0'))).toMatchObject({ text: '{"a":"mock"}' });
    expect(await mock.ask(call('n1'))).toMatchObject({ text: 'told' });
  });
});

describe('the smallest answer', () => {
  it.each<Json>([
    {},
    { type: 'string', minLength: 9 },
    { type: 'string', maxLength: 2 },
    { type: 'string', format: 'date-time' },
    { type: 'string', enum: ['b', 'a'] },
    { type: 'integer', minimum: 3 },
    { type: 'number', exclusiveMinimum: 0 },
    { type: 'integer', exclusiveMinimum: 4, multipleOf: 5 },
    { type: 'integer', maximum: -2 },
    { type: 'number', exclusiveMaximum: 0 },
    { type: ['null', 'string'] },
    { const: { a: 1 } },
    { type: 'array', minItems: 2, items: { type: 'boolean' } },
    { type: 'array', minItems: 2, prefixItems: [{ type: 'string' }], items: { type: 'boolean' } },
    { anyOf: [{ type: 'string' }, { type: 'null' }] },
    { required: ['a'], properties: { a: { type: 'object', required: ['b'] } } },
    { allOf: [{ required: ['a'] }, { properties: { a: { type: 'integer' } } }], type: 'object' },
    {
      $ref: '#/$defs/x',
      $defs: {
        x: { type: 'object', required: ['y'], properties: { y: { $ref: '#/$defs/y' } } },
        y: { type: 'string' },
      },
    },
  ])('fits %j, and is the same each time', (schema) => {
    const made = minimalInstance(schema);
    expect(problemByAuthor(schema as object, made)).toBeUndefined();
    expect(minimalInstance(schema)).toEqual(made);
  });

  it('ends where a schema leads in circles', () => {
    const schema = {
      $ref: '#/$defs/x',
      $defs: { x: { required: ['x'], properties: { x: { $ref: '#/$defs/x' } } } },
    };
    expect(minimalInstance(schema)).toBeDefined();
  });

  it('ends where every turn of a circle branches', () => {
    const x = { required: ['a', 'b'], properties: { a: { $ref: '#/$defs/x' }, b: { $ref: '#/$defs/x' } } };
    expect(minimalInstance({ $ref: '#/$defs/x', $defs: { x } })).toHaveProperty('a');
  });

  it('does not follow names that lead out of the schema', () => {
    expect(minimalInstance({ $ref: '#/constructor' })).toBeNull();
    expect(minimalInstance({ required: ['toString'], properties: {} })).toEqual({ toString: {} });
  });
});
