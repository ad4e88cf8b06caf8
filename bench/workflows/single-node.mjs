/** The smallest workflows: one that does nothing, and one that waits for a person. */

export const NOOP = 'bench-noop';
export const NOOP_WORKFLOW = { id: NOOP, nodes: [{ id: 'only', typeId: 'core.noop', config: {} }] };

export const APPROVAL = 'bench-approval';
export const APPROVAL_WORKFLOW = {
  id: APPROVAL,
  nodes: [{ id: 'gate', typeId: 'core.approvalGate', config: { title: 'May this go on?' } }],
};
