import type { ApprovalData, EventOf, PayloadOf, RunEvent } from '@baton/protocol';
import { type NodeView, type RunView, withNode, withStep } from './view.ts';

/** The events of handoffs, of the merge gate and of questions to people. */

export function foldGate(view: RunView, event: RunEvent, time: number): RunView {
  const { nodeId } = event;
  if (nodeId === undefined) return view;
  const at = (change: (node: NodeView) => NodeView): RunView => withNode(view, nodeId, change);
  switch (event.type) {
    case 'node.dispatched': {
      const { childRunId, childWorkflowId } = event.payload;
      return at((node) => withStep(node, childKey(childRunId), { text: childWorkflowId, childRunId }, time));
    }
    case 'core.workflowChain.event':
      return at((node) => chained(node, event.payload, time));
    case 'baton.worker.settled': {
      const { childRunId, status } = event.payload;
      if (childRunId === undefined) return view;
      const mark = status === 'completed' ? 'done' : 'failed';
      return at((node) => withStep(node, childKey(childRunId), { mark, to: time }, time));
    }
    case 'baton.critic.started': {
      const { criticRunId } = event.payload;
      return at((node) =>
        withStep(node, 'critic', { text: 'critic reads', childRunId: criticRunId, key: 'critic' }, time),
      );
    }
    case 'agent.verified':
      return at((node) => judged(node, event.payload, time));
    case 'baton.merge.settled':
      return at((node) => merged(node, event.payload, time));
    case 'interrupt.requested':
      return at((node) => asked(node, event, time));
    case 'interrupt.resolved':
      return at((node) => answered(node, event.payload, time));
    case 'approval.granted': {
      const { principal, quorumProgress } = event.payload;
      const text = `${principal} approves, ${quorumProgress.granted} of ${quorumProgress.required}`;
      return at((node) => withStep(node, `vote:${principal}`, { mark: 'done', text, to: time }, time));
    }
    default:
      return view;
  }
}

function childKey(childRunId: string): string {
  return `child:${childRunId}`;
}

function chained(node: NodeView, payload: PayloadOf<'core.workflowChain.event'>, time: number): NodeView {
  const { phase, childRunId, workerId, attestation, error } = payload;
  if (childRunId === undefined) {
    if (phase !== 'dispatch.failed') return node;
    const text = `${workerId} could not be started: ${error?.message ?? 'no reason given'}`;
    return withStep(node, `failed:${workerId}`, { mark: 'failed', text, to: time }, time);
  }
  const key = childKey(childRunId);
  switch (phase) {
    case 'child.completed':
      return withStep(node, key, { mark: 'done', to: time }, time);
    case 'child.failed':
      return withStep(node, key, { mark: 'failed', to: time }, time);
    case 'child.cancelled':
      return withStep(node, key, { mark: 'left-out', to: time }, time);
    case 'output.harvested': {
      if (attestation === undefined) return node;
      const text = `checksum ${attestation.checksum.slice(0, 12)}`;
      return withStep(node, `checksum:${childRunId}`, { mark: 'done', text, to: time }, time);
    }
    default:
      return node;
  }
}

function judged(node: NodeView, payload: PayloadOf<'agent.verified'>, time: number): NodeView {
  const { agentId, verdict, criteria = [], confidence } = payload;
  const mark = verdict === 'pass' ? 'done' : verdict === 'revise' ? 'again' : 'failed';
  const facts = [...criteria, ...(confidence === undefined ? [] : [String(confidence)])].join(', ');
  const text = `${agentId}: ${verdict}${facts === '' ? '' : ` (${facts})`}`;
  const settled = withStep(node, 'critic', { mark, text, to: time }, time);
  // The next critic of this node gets a step of its own.
  return {
    ...settled,
    steps: settled.steps.map((step) =>
      step.key === 'critic' ? { ...step, key: `critic:${payload.target}` } : step,
    ),
  };
}

const MERGE_TEXTS: { readonly [why in PayloadOf<'baton.merge.settled'>['why']]: string } = {
  'no-objection': 'merged',
  'verdict-passed': 'merged, the critic passed it',
  approved: 'merged as approved',
  edited: 'merged as edited',
  'verdict-failed': 'not merged, the critic refused it',
  rejected: 'not merged, a person rejected it',
  expired: 'not merged, the question expired',
  stopped: 'not merged, the run was stopped',
};

function merged(node: NodeView, payload: PayloadOf<'baton.merge.settled'>, time: number): NodeView {
  const mark = payload.merged ? 'done' : 'failed';
  const text = MERGE_TEXTS[payload.why];
  return withStep(node, `merge:${payload.childRunId}`, { mark, text, to: time }, time);
}

function asked(node: NodeView, event: EventOf<'interrupt.requested'>, time: number): NodeView {
  const { key, kind } = event.payload;
  const asksPerson = kind !== 'external-event';
  const step = { mark: 'waiting', text: questionText(event.payload), asksPerson } as const;
  return { ...withStep(node, `ask:${key}`, step, time), mark: 'waiting' };
}

function questionText(payload: PayloadOf<'interrupt.requested'>): string {
  switch (payload.kind) {
    case 'approval':
      return `approval${fromWhom(payload.data)}: ${payload.data.title}`;
    case 'clarification':
      return `question: ${payload.data.questions.map(({ question }) => question).join(' ')}`;
    case 'low-confidence':
      return `approval: ${payload.data.agentId} is not sure (${payload.data.observed})`;
    case 'external-event':
      return `waits for the event ${payload.data.eventType}`;
    case 'custom':
      return `question: ${payload.data.customKind}`;
  }
}

/** ` by 2 of ada, ben, cy`: how many approvals are needed, and from whom. Empty when any one person may decide. */
function fromWhom({ requiredApprovals = 1, approversList = [] }: ApprovalData): string {
  const people = approversList.length === 0 ? '' : ` of ${approversList.join(', ')}`;
  return requiredApprovals > 1 || people !== '' ? ` by ${requiredApprovals}${people}` : '';
}

function answered(node: NodeView, payload: PayloadOf<'interrupt.resolved'>, time: number): NodeView {
  const { outcome, resolvedBy } = payload;
  const by = resolvedBy === undefined ? outcome : `${outcome} by ${resolvedBy}`;
  const mark = outcome === 'answered' ? 'done' : 'failed';
  const steps = node.steps.map((step) =>
    step.mark === 'waiting' ? { ...step, mark, text: `${by} · ${step.text}`, to: time } : step,
  );
  return { ...node, mark: 'running', steps } as NodeView;
}
