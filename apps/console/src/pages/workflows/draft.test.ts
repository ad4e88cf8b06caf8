import { expect, it } from 'vitest';
import { layoutOf } from '../../graph/layout.ts';
import { readDraft } from './draft.ts';

it.each(['', '{', '[]', 'null', '"text"'])('%j is no definition', (text) => {
  expect(readDraft(text)).toEqual({});
});

it('draws as much of a definition as is of the right form', () => {
  const { graph } = readDraft(
    JSON.stringify({
      nodes: [{ id: 'a', typeId: 'core.noop', name: 7 }, { typeId: 'x' }, null, { id: 'b' }],
      edges: [
        { sourceNodeId: 'a', targetNodeId: 'b', condition: { expression: 'x' } },
        { sourceNodeId: 'a' },
        3,
      ],
    }),
  );
  const { nodes, edges } = layoutOf(graph ?? { nodes: [] });
  expect(nodes.map(({ id, name, typeId }) => [id, name, typeId])).toEqual([
    ['a', 'a', 'core.noop'],
    ['(node 2)', '(node 2)', 'x'],
    ['(node 3)', '(node 3)', ''],
    ['b', 'b', ''],
  ]);
  expect(edges.map(({ source, target, label }) => [source, target, label])).toEqual([['a', 'b', 'x']]);
});

it.each(['{}', '{"nodes":3,"edges":{}}'])('%s has an empty graph', (text) => {
  expect(readDraft(text).graph).toEqual({ nodes: [], edges: [] });
});
