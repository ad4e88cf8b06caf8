import { expect, it } from 'vitest';
import text from '../../../../../docs/reference/workflow.schema.json?raw';
import type { Schema } from '../../ui/editor/schema.ts';
import { suggestionsAt } from '../../ui/editor/suggestions.ts';
import { ownValues } from './use-suggestion-source.ts';

const schema = JSON.parse(text) as Schema;

function at(marked: string): readonly string[] | undefined {
  const found = suggestionsAt(marked.replace('|', ''), marked.indexOf('|'), { schema, valuesAt: ownValues });
  return found?.list.map(({ label }) => label);
}

const NODES = '"nodes": [{ "id": "ask", "typeId": "core.delay" }, { "id": "done" }]';

it('suggests types of nodes and the configuration of the chosen type', () => {
  expect(at('{ "nodes": [{ "typeId": "|" }] }')).toEqual(
    expect.arrayContaining(['core.delay', 'core.approvalGate', 'vendor.baton.set']),
  );
  expect(at('{ "nodes": [{ "typeId": "core.delay", "config": { | } }] }')).toContain('delayMs');
});

it('suggests no field of another type', () => {
  expect(at('{ "nodes": [{ "typeId": "core.noop", "config": { | } }] }')).toEqual([]);
});

it('suggests the ids of nodes in edges and connections, and the names of variables', () => {
  expect(at(`{ ${NODES}, "edges": [{ "sourceNodeId": "|" }] }`)).toEqual(['ask', 'done']);
  expect(at(`{ ${NODES}, "edges": [{ "targetNodeId": | }] }`)).toEqual(['ask', 'done']);
  const input = '{ "type": "variable", "variableName": "|" }';
  expect(at(`{ "variables": [{ "name": "topic" }], "nodes": [{ "inputs": { "a": ${input} } }] }`)).toEqual([
    'topic',
  ]);
});

it.each([null, 3, {}, { nodes: 'x' }, { nodes: [null, { id: 3 }] }])('bears the document %j', (document) => {
  expect(ownValues(document, ['edges', 0, 'sourceNodeId'])).toEqual([]);
});
