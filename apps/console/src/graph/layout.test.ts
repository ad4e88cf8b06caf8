import { expect, it } from 'vitest';
import { layoutOf, NODE_HEIGHT, NODE_WIDTH } from './layout.ts';

const node = (id: string) => ({ id, typeId: 'core.noop' });
const edge = (sourceNodeId: string, targetNodeId: string) => ({ sourceNodeId, targetNodeId });

it('places each node after the node before it, and no node on another', () => {
  const graph = {
    nodes: ['a', 'b', 'c', 'd'].map(node),
    edges: [edge('a', 'b'), edge('a', 'c'), edge('b', 'd'), edge('c', 'd')],
  };
  const { nodes, edges, width, height } = layoutOf(graph);
  const [a, b, c, d] = nodes;
  expect(a!.x + NODE_WIDTH).toBeLessThan(b!.x);
  expect(b!.x).toBe(c!.x);
  expect(Math.abs(b!.y - c!.y)).toBeGreaterThanOrEqual(NODE_HEIGHT);
  expect(b!.x + NODE_WIDTH).toBeLessThan(d!.x);
  expect(edges.map(({ goesBack }) => goesBack)).toEqual([false, false, false, false]);
  expect([width, height]).toEqual([d!.x + NODE_WIDTH, Math.max(b!.y, c!.y) + NODE_HEIGHT]);
});

it('places nodes below each other on a narrow page', () => {
  const { nodes } = layoutOf({ nodes: [node('a'), node('b')], edges: [edge('a', 'b')] }, 'down');
  expect(nodes[0]!.y + NODE_HEIGHT).toBeLessThan(nodes[1]!.y);
  expect(nodes[0]!.x).toBe(nodes[1]!.x);
});

it('marks the edges of a loop that lead back, to the same node too', () => {
  const { edges } = layoutOf({
    nodes: [node('boss'), node('work')],
    edges: [edge('boss', 'work'), edge('work', 'boss'), edge('work', 'work')],
  });
  expect(edges.map(({ goesBack }) => goesBack)).toEqual([false, true, true]);
});

it('draws a definition with mistakes: an edge to nowhere, a node id that is used twice, two equal edges', () => {
  const { nodes, edges } = layoutOf({
    nodes: [{ ...node('a'), name: 'First' }, { ...node('a'), name: 'Second' }, node('b')],
    edges: [edge('a', 'gone'), edge('a', 'b'), edge('a', 'b')],
  });
  expect(nodes.map(({ name }) => name)).toEqual(['First', 'b']);
  expect(edges).toHaveLength(2);
  expect(new Set(edges.map(({ id }) => id)).size).toBe(2);
});

it('draws one node, and no node', () => {
  expect(layoutOf({ nodes: [node('a')] }).nodes).toEqual([{ ...node('a'), name: 'a', x: 0, y: 0 }]);
  expect(layoutOf({ nodes: [] })).toMatchObject({ nodes: [], edges: [] });
});

it('labels an edge with its label or its condition, shortened', () => {
  const labels = layoutOf({
    nodes: [node('a'), node('b')],
    edges: [
      { ...edge('a', 'b'), label: 'yes', condition: { expression: 'x > 1' } },
      { ...edge('a', 'b'), condition: { expression: 'x'.repeat(60) } },
      edge('a', 'b'),
    ],
  }).edges.map(({ label }) => label);
  expect(labels).toEqual(['yes', `${'x'.repeat(39)}…`, undefined]);
});
