import type { WorkflowDefinition } from '@baton/client';
import { expect, it } from 'vitest';
import { sampleEvents, sampleHandoff } from '../../../../../../tests/console/sample-events.ts';
import { foldEvent } from '../model/fold.ts';
import { newTree, type RunTrack } from '../model/tree.ts';
import { graphOf, type Opened } from './graph-parts.ts';
import { placesOf } from './layout.ts';

const CLOSED: Opened = { toggled: new Set(), shown: new Map() };

const DESK: WorkflowDefinition = {
  id: 'desk',
  nodes: [
    { id: 'lead', typeId: 'core.orchestrator.supervisor', name: 'Desk lead' },
    { id: 'out', typeId: 'core.dispatch' },
  ],
  edges: [
    { sourceNodeId: 'lead', targetNodeId: 'out' },
    { sourceNodeId: 'out', targetNodeId: 'lead' },
  ],
};

function rootOf(events: ReturnType<typeof sampleEvents>): RunTrack {
  const tree = newTree('r');
  for (const event of events) foldEvent(tree, event);
  const root = tree.runs.get('r');
  if (root === undefined) throw new Error('The sample has no root.');
  return root;
}

function fanOut(count: number): ReturnType<typeof sampleEvents> {
  return sampleEvents([
    { type: 'run.started', payload: { workflowId: 'desk', workflowVersion: 1 } },
    { type: 'node.started', nodeId: 'out', payload: { typeId: 'core.dispatch', attempt: 1 } },
    ...Array.from({ length: count }, (_, index) => ({
      runId: `r.${index + 1}`,
      type: 'run.started',
      payload: { workflowId: 'w', workflowVersion: 1, parentRunId: 'r', parentNodeId: 'out' },
    })),
  ]);
}

it('draws the nodes of the workflow, and a card for each run that a node started', () => {
  const { parts, lines } = graphOf(DESK, rootOf(sampleHandoff()), CLOSED);
  expect(parts.map(({ id }) => id)).toEqual(['r#lead', 'r#out', 'r.1', 'r.2']);
  expect(lines.map(({ from, to, kind }) => `${from} ${kind} ${to}`)).toEqual([
    'r#out handoff r.1',
    'r#out critic r.2',
    'r#lead flow r#out',
    'r#out flow r#lead',
  ]);
});

it('closes a node with many runs, and groups those that are not shown', () => {
  const root = rootOf(fanOut(1000));
  expect(graphOf(DESK, root, CLOSED).parts).toHaveLength(2);
  const opened = { toggled: new Set(['r#out']), shown: new Map([['r#out', 2]]) };
  const more = graphOf(DESK, root, opened).parts.find(({ kind }) => kind === 'more');
  expect(more).toMatchObject({ owner: 'r#out', hidden: 998 });
});

it('draws nodes that the definition does not have', () => {
  const { parts } = graphOf(undefined, rootOf(fanOut(0)), CLOSED);
  expect(parts).toMatchObject([{ kind: 'node', nodeId: 'out', typeId: 'core.dispatch' }]);
});

it('draws the runs of a node in the order in which they began', () => {
  const graph = graphOf(DESK, rootOf(fanOut(4)), CLOSED);
  const places = placesOf(graph);
  const tops = ['r.1', 'r.2', 'r.3', 'r.4'].map((id) => places.get(id)?.y ?? Number.NaN);
  expect(tops).toEqual([...tops].sort((a, b) => a - b));
  expect(new Set(tops).size).toBe(4);
});

it('places every part, without overlaps, also in a loop and in a large workflow', () => {
  const large: WorkflowDefinition = {
    id: 'large',
    nodes: Array.from({ length: 400 }, (_, index) => ({ id: `n${index}`, typeId: 'core.noop' })),
    edges: Array.from({ length: 399 }, (_, index) => ({
      sourceNodeId: `n${index}`,
      targetNodeId: `n${index + 1}`,
    })),
  };
  for (const graph of [
    graphOf(DESK, rootOf(sampleHandoff()), CLOSED),
    graphOf(large, rootOf(fanOut(0)), CLOSED),
  ]) {
    const places = graph.parts.map(({ id }) => placesOf(graph).get(id));
    const boxes = new Set(places.map((place) => `${place?.x} ${place?.y}`));
    expect(places).not.toContain(undefined);
    expect(boxes.size).toBe(graph.parts.length);
  }
});
