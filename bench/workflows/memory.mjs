import { HANDOFF_WORKER, supervisorOf } from './handoff.mjs';

/** Workflows that use memory, each with a workflow of the same size without memory. */

/** One node that reads an entry by its key, or entries by a tag. The key or tag is an input of the run. */
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

/** A handoff whose worker writes its text to memory, which is then carried to the parent: two more events. */
export const REMEMBERING = 'bench-remembering';
const REMEMBERING_WORKER = workerWith('bench-rememberer', {
  id: 'keep',
  typeId: 'vendor.baton.memory.write',
  config: { key: 'text' },
  inputs: { content: { type: 'variable', variableName: 'text' } },
});

/** The same number of events without memory: the worker sets one more variable, which the parent receives. */
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
