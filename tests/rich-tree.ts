import { inOrder, node, workflow } from '../packages/conformance/src/testkit/workflows.ts';
import { answer, quiet, start } from './driver/forking.ts';
import type { Bench } from './driver/test-engine.ts';

/** A run with a bit of everything: memory that it shares, a file, a child with memory of its own, an approval, an effect. */

const rememberNote = node('note', 'vendor.baton.memory.write', {
  key: 'note',
  content: 'high water at noon',
});
const writeFile = node('file', 'vendor.baton.workspace.write', { path: 'notes/a.md', content: '# Tides' });
const callChild = node('child', 'core.subWorkflow', { workflowId: 'helper' });
const askGate = node('gate', 'core.approvalGate', { title: 'Go on?', artifactType: 'note' });
const act = node('act', 'core.conformance.side-effect');
const NODES = [rememberNote, writeFile, callChild, askGate, act];

export const RICH = workflow('rich', NODES, {
  edges: inOrder(NODES),
  variables: [{ name: 'amount', type: 'number', defaultValue: 10 }],
});
const HELPER_NODES = [
  node('own', 'vendor.baton.memory.write', { key: 'own', content: 'of the child' }),
  node('done', 'core.noop'),
];
export const HELPER = workflow('helper', HELPER_NODES, { edges: inOrder(HELPER_NODES) });

/** A finished run of it. */
export async function richTree(host: Bench): Promise<string> {
  await host.register(RICH, HELPER);
  const runId = await start(host, 'rich', { scopeId: 'desk', inputs: { amount: 10 }, tags: ['rich'] });
  await answer(host, runId, 'gate');
  await quiet();
  if ((await host.status(runId)) !== 'completed') throw new Error(`the tree is ${await host.status(runId)}`);
  return runId;
}
