import { HANDOFF_WORKER, supervisorOf } from './handoff.mjs';

/** Workflows that remember and recall, each beside one that does as much without memory. */

/** One node that recalls an entry by its key, or some by a tag. What it is asked comes with the run. */
export const RECALL_KEY = 'bench-recall-key';
export const RECALL_TAG = 'bench-recall-tag';

export function recallWorkflows(limit) {
  return [recall(RECALL_KEY, 'key', {}), recall(RECALL_TAG, 'tag', { limit })];
}

function recall(id, field, config) {
  const inputs = { [field]: { type: 'variable', variableName: 'asked' } };
  return {
    id,
    nodes: [{ id: 'only', typeId: 'vendor.baton.memory.read', config, inputs }],
    variables: [{ name: 'asked', type: 'string' }],
  };
}

/** The handoff with a worker that remembers its text, which its parent then has too: two more facts. */
export const REMEMBERING = 'bench-remembering';
const REMEMBERING_WORKER = workerWith('bench-rememberer', {
  id: 'keep',
  typeId: 'vendor.baton.memory.write',
  config: { key: 'text' },
  inputs: { content: { type: 'variable', variableName: 'text' } },
});

/** The same number of facts without memory: the worker has one more variable, which its parent is given too. */
export const SAYING = 'bench-saying';
const SAYING_WORKER = workerWith('bench-sayer', {
  id: 'keep',
  typeId: 'vendor.baton.set',
  config: { assign: { kept: 'variables.text' } },
});

export const REMEMBERING_WORKFLOWS = [
  REMEMBERING_WORKER,
  SAYING_WORKER,
  handoffTo(REMEMBERING, REMEMBERING_WORKER, { report: 'text' }),
  handoffTo(SAYING, SAYING_WORKER, { report: 'text', kept: 'kept' }),
];

function workerWith(id, node) {
  const { nodes, variables } = HANDOFF_WORKER;
  return {
    id,
    nodes: [...nodes, node],
    edges: [{ sourceNodeId: nodes[0].id, targetNodeId: node.id }],
    variables: [...variables, { name: 'kept', type: 'string' }],
  };
}

function handoffTo(id, worker, outputMapping) {
  const supervisor = supervisorOf(id, worker.id, 1, { inputMapping: { subject: 'topic' }, outputMapping });
  return { ...supervisor, variables: [...supervisor.variables, { name: 'kept', type: 'string' }] };
}
