import { expect, it } from 'vitest';
import { fieldPlace } from './field-place.ts';

const definition = {
  nodes: [{ id: 'a' }, { id: 'wait' }],
  edges: [{ sourceNodeId: 'a', targetNodeId: 'wait' }],
  variables: [{ name: 'topic' }],
};

it.each([
  ['nodes.1.config.delayMs', 'node "wait", config.delayMs'],
  ['nodes.1', 'node "wait"'],
  ['edges.0.condition', 'edge "a" → "wait", condition'],
  ['variables.0.type', 'variable "topic", type'],
  ['nodes.7.id', 'nodes.7.id'],
  ['edges', 'edges'],
  ['id', 'id'],
  ['', ''],
])('names the place of %s: %s', (field, place) => {
  expect(fieldPlace(definition, field)).toBe(place);
});

it('leaves a field of something else as it is', () => {
  expect(fieldPlace('text', 'nodes.0')).toBe('nodes.0');
  expect(fieldPlace({ nodes: [{ id: 7 }] }, 'nodes.0.id')).toBe('nodes.0.id');
});
