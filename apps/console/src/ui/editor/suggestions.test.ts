import { expect, it } from 'vitest';
import type { Schema } from './schema.ts';
import { suggestionsAt } from './suggestions.ts';

const DELAY = { properties: { config: { type: 'object', properties: { delayMs: { type: 'integer' } } } } };
const SCHEMA: Schema = {
  type: 'object',
  required: ['id'],
  properties: {
    id: { type: 'string', description: 'The id.' },
    active: { type: 'boolean' },
    status: { enum: ['draft', 'active'] },
    nodes: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          id: { type: 'string' },
          typeId: { type: 'string', oneOf: [{ const: 'core.delay' }, { const: 'core.noop' }] },
          config: { type: 'object' },
        },
        allOf: [
          // biome-ignore lint/suspicious/noThenProperty: this is the name of the keyword.
          { if: { properties: { typeId: { const: 'core.delay' } }, required: ['typeId'] }, then: DELAY },
        ],
      },
    },
    inputs: {
      type: 'object',
      patternProperties: {
        '^.*$': {
          oneOf: [
            { properties: { type: { const: 'static' }, value: {} } },
            { properties: { type: { const: 'variable' }, variableName: { type: 'string' } } },
          ],
        },
      },
    },
  },
};

/** The suggestions at the sign `|` of a text. */
function at(marked: string) {
  const cursor = marked.indexOf('|');
  const found = suggestionsAt(marked.replace('|', ''), cursor, {
    schema: SCHEMA,
    valuesAt: (_, path) => (path.at(-1) === 'nodeId' ? [{ value: 'first' }] : []),
  });
  return found?.list.map(({ label }) => label);
}

it.each([
  ['{|', ['id', 'active', 'status', 'nodes', 'inputs']],
  ['{ "id": "x", | }', ['active', 'status', 'nodes', 'inputs']],
  ['{ "id": "x", "st|" }', ['active', 'status', 'nodes', 'inputs']],
  ['{ "id|": "x" }', ['id', 'active', 'status', 'nodes', 'inputs']],
  ['{ "active": | }', ['true', 'false']],
  ['{ "status": "dr|" }', ['draft', 'active']],
  ['{ "status": "dr|', ['draft', 'active']],
  ['{ "nodes": [ { "id": "a", | } ] }', ['typeId', 'config']],
  ['{ "nodes": [ { "typeId": "|" } ] }', ['core.delay', 'core.noop']],
  ['{ "nodes": [ {}, { "typeId": "core.delay", "config": { | } } ] }', ['delayMs']],
  ['{ "nodes": [ { "typeId": "core.noop", "config": { | } } ] }', []],
  ['{ "nodes": [ { "config": { | } } ] }', []],
  ['{ "inputs": { "a": { "type": | } } }', ['static', 'variable']],
  ['{ "inputs": { "a": { "type": "variable", | } } }', ['variableName']],
  ['{ "nodeId": "|" }', ['first']],
  ['{ "id": "x" | }', undefined],
  ['|', undefined],
])('%s', (marked, expected) => {
  const found = at(marked);
  expect(found).toEqual(expected);
});

it('writes a name with its colon and its brackets, and leaves a colon that is there', () => {
  const given = { schema: SCHEMA };
  expect(suggestionsAt('{ ', 2, given)?.list[0]).toEqual({
    label: 'id',
    detail: 'string, required',
    info: 'The id.',
    text: '"id": ""',
    caret: 7,
  });
  expect(suggestionsAt('{ "i": 1 }', 4, given)).toMatchObject({
    from: 2,
    to: 5,
    list: [{ text: '"id"' }, {}, {}, {}, {}],
  });
});

it('bears a text of any depth', () => {
  expect(suggestionsAt('['.repeat(50_000), 50_000, { schema: SCHEMA })).toMatchObject({ list: [] });
});
