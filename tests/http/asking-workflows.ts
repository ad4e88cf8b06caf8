import { WORKFLOWS } from './workflows.ts';

/** Workflows whose child runs ask questions. */

const child = (id: string, workflowId: string, config: object = {}) => ({
  id,
  typeId: 'core.subWorkflow',
  config: { workflowId, ...config },
});

export const ASKING_WORKFLOWS: readonly unknown[] = [
  ...WORKFLOWS,
  // Two children ask at the same time.
  { id: 'desk', nodes: [child('approve', 'gate'), child('ask', 'question')], edges: [] },
  // The interrupts of both children have the same id.
  { id: 'twins', nodes: [child('one', 'gate'), child('other', 'gate')], edges: [] },
  // The run itself goes on while its child asks.
  {
    id: 'busy',
    nodes: [{ id: 'wait', typeId: 'core.delay', config: { ms: 60_000 } }, child('approve', 'gate')],
    edges: [],
  },
  // The outputs of a grandchild are merged only when a person agrees.
  {
    id: 'merging',
    nodes: [child('work', 'quick', { outputAttestation: { requireApproval: true } })],
    edges: [],
  },
  { id: 'above-merging', nodes: [child('delegate', 'merging')], edges: [] },
];
