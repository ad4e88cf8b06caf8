import { expect, it } from 'vitest';
import { strictForm } from './loose-workflow.ts';

const supervisor = { nodeId: 's', typeId: 'core.orchestrator.supervisor' };
const dispatch = { nodeId: 'd', typeId: 'core.dispatch' };

it('renames ids', () => {
  expect(strictForm({ workflowId: 'w', nodes: [{ nodeId: 'n', typeId: 'core.noop' }] })).toEqual({
    id: 'w',
    nodes: [{ id: 'n', typeId: 'core.noop' }],
    edges: [],
  });
});

it('keeps what is right already', () => {
  const strict = { id: 'w', nodes: [{ id: 'n', typeId: 'core.noop' }], edges: [] };
  expect(strictForm(strict)).toEqual(strict);
});

it('draws the loop of one supervisor and one dispatch node', () => {
  expect(strictForm({ workflowId: 'w', nodes: [supervisor, dispatch] }).edges).toEqual([
    { id: 'e1', sourceNodeId: 's', targetNodeId: 'd' },
    { id: 'e2', sourceNodeId: 'd', targetNodeId: 's' },
  ]);
  expect(strictForm({ workflowId: 'w', nodes: [dispatch] }).edges).toEqual([]);
  expect(strictForm({ workflowId: 'w', nodes: [supervisor, supervisor, dispatch] }).edges).toEqual([]);
});

it('leaves nonsense for the check that follows', () => {
  expect(strictForm({ nodes: 'none' })).toEqual({ nodes: 'none', edges: [] });
  expect(strictForm({ nodes: [7, null] })).toEqual({ nodes: [7, null], edges: [] });
});
