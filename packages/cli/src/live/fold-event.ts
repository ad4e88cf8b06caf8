import type { ApprovalData, EventOf, OutputChunk, PayloadOf, RunEvent } from '@baton/protocol';
import { type NodeView, type RunView, type StepView, withNode, withStep } from './view.ts';

/** The longest end of a text that is kept while a model writes it. A wide line shows about 200 columns of it. */
const STREAM_KEPT = 400;

/** The view after one event. Events that the tree does not show change nothing. */
export function foldEvent(view: RunView, event: RunEvent): RunView {
  const time = Date.parse(event.timestamp);
  switch (event.type) {
    case 'run.started': {
      const { workflowId } = event.payload;
      return { ...view, workflowId, status: 'running', from: view.from ?? time };
    }
    case 'run.paused':
      return { ...view, status: 'paused' };
    case 'run.resumed':
      return { ...view, status: 'running' };
    case 'run.completed':
      return ended(view, time, { status: 'completed' });
    case 'run.failed': {
      const { code, message } = event.payload.error;
      return ended(view, time, { status: 'failed', why: `${code}: ${message}` });
    }
    case 'run.cancelled': {
      const { cancelledBy, reason } = event.payload;
      const why = [cancelledBy && `by ${cancelledBy}`, reason].filter(Boolean).join(', ');
      return ended(view, time, { status: 'cancelled', ...(why !== '' && { why }) });
    }
    case 'node.started': {
      const { nodeId, typeId, attempt } = event.payload;
      if (attempt > 1) return withNode(view, nodeId, (node) => ({ ...node, mark: 'running' }));
      const node: NodeView = { nodeId, typeId, mark: 'running', text: '', from: time, steps: [] };
      return { ...view, nodes: [...view.nodes, node] };
    }
    default:
      return foldGate(foldWork(view, event, time), event, time);
  }
}

/** Work that was under way when a run ended is shown as it ended with the run. */
function ended(view: RunView, time: number, end: Pick<RunView, 'status' | 'why'>): RunView {
  const mark = end.status === 'completed' ? 'done' : 'left-out';
  const nodes = view.nodes.map((node) =>
    node.to === undefined ? { ...node, mark, to: time, steps: node.steps.map(settled) } : node,
  );
  return { ...view, ...end, to: time, nodes } as RunView;

  function settled(step: NodeView['steps'][number]) {
    return step.mark === 'running' || step.mark === 'waiting' ? { ...step, mark, to: time } : step;
  }
}

/** The view with a part of a text that a model is writing. It is shown until the node records its result. */
export function foldChunk(
  view: RunView,
  { nodeId, channel, chunk, isLast }: OutputChunk,
  now: number,
): RunView {
  return withNode(view, nodeId, (node) => {
    const key = `stream:${channel}`;
    const before = node.steps.findLast((step) => step.key === key)?.stream ?? '';
    const stream = `${before}${chunk}`.slice(-STREAM_KEPT);
    return withStep(node, key, { stream, text: channel, ...(isLast && { mark: 'done', to: now }) }, now);
  });
}

/** The events of handoffs, of the merge gate and of questions to people. */

function foldGate(view: RunView, event: RunEvent, time: number): RunView {
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

/** The events of nodes, agents and models. */

function foldWork(view: RunView, event: RunEvent, time: number): RunView {
  switch (event.type) {
    case 'node.completed':
      return closeNode(view, event.payload.nodeId, 'done', time);
    case 'node.failed': {
      const { nodeId, error } = event.payload;
      return closeNode(view, nodeId, 'failed', time, `${error.code}: ${error.message}`);
    }
    case 'node.cancelled':
      return closeNode(view, event.payload.nodeId, 'left-out', time, 'cancelled');
    case 'node.skipped': {
      const { nodeId } = event.payload;
      const node: NodeView = {
        nodeId,
        typeId: '',
        mark: 'left-out',
        text: 'skipped',
        from: time,
        to: time,
        steps: [],
      };
      return { ...view, nodes: [...view.nodes, node] };
    }
    case 'node.retried': {
      const { nodeId, attempt, lastError } = event.payload;
      const text = `attempt ${attempt} after ${lastError.code}`;
      return withNode(view, nodeId, (node) => ({ ...node, mark: 'again', text }));
    }
    case 'runOrchestrator.decided': {
      const { decision, iteration } = event.payload;
      return named(view, event, (node) => ({ ...node, text: turnText(decision, iteration) }));
    }
    case 'provider.usage':
      return withUsage(view, event.payload);
    case 'baton.usage.carried': {
      const { inputTokens, outputTokens, toolCalls, costUsd } = event.payload;
      return used(view, inputTokens + outputTokens, toolCalls, costUsd);
    }
    default:
      return foldAgent(view, event, time);
  }
}

function foldAgent(view: RunView, event: RunEvent, time: number): RunView {
  switch (event.type) {
    case 'agent.toolCalled': {
      const { callId, toolName } = event.payload;
      return named(used(view, 0, 1, undefined), event, (node) =>
        withStep(node, `tool:${callId}`, { text: `tool ${toolName}` }, time),
      );
    }
    case 'agent.toolReturned': {
      const { callId, toolName, status } = event.payload;
      const text = status === 'ok' ? `tool ${toolName}` : `tool ${toolName}: ${status}`;
      const mark = status === 'ok' ? 'done' : 'failed';
      return named(view, event, (node) => withStep(node, `tool:${callId}`, { text, mark, to: time }, time));
    }
    case 'agent.handoff': {
      const { toAgentId } = event.payload;
      return named(view, event, (node) => ({ ...node, text: `hands over to ${toAgentId}` }));
    }
    case 'agent.decided':
      // The text that was streamed is recorded now, so it is no longer shown as being written.
      return named(view, event, (node) => ({ ...node, steps: node.steps.filter(isNotStream) }));
    default:
      return view;
  }
}

function isNotStream(step: StepView): boolean {
  return step.stream === undefined;
}

function closeNode(
  view: RunView,
  nodeId: string,
  mark: NodeView['mark'],
  time: number,
  why?: string,
): RunView {
  return withNode(view, nodeId, (node) => ({
    ...node,
    mark,
    to: time,
    ...(why !== undefined && { text: why }),
    steps: node.steps.filter(isNotStream),
  }));
}

/** Changes the node that an event names in its envelope. */
function named(view: RunView, { nodeId }: RunEvent, change: (node: NodeView) => NodeView): RunView {
  return nodeId === undefined ? view : withNode(view, nodeId, change);
}

function turnText(decision: PayloadOf<'runOrchestrator.decided'>['decision'], iteration: number): string {
  const sure =
    'confidence' in decision && decision.confidence !== undefined ? `, ${decision.confidence}` : '';
  switch (decision.kind) {
    case 'next-worker':
      return `turn ${iteration}: hands to ${decision.nextWorkerIds.join(', ')}${sure}`;
    case 'terminate':
      return `turn ${iteration}: ends${decision.reason === undefined ? '' : `, ${decision.reason}`}${sure}`;
    case 'ask-user':
    case 'clarify':
      return `turn ${iteration}: asks "${decision.prompt}"`;
    case 'escalate':
      return `turn ${iteration}: escalates${decision.reason === undefined ? '' : `, ${decision.reason}`}`;
  }
}

function withUsage(view: RunView, payload: PayloadOf<'provider.usage'>): RunView {
  if (payload.cacheHit === true) return view;
  return used(view, payload.inputTokens + payload.outputTokens, 0, payload.costEstimateUsd);
}

function used(view: RunView, tokens: number, toolCalls: number, costUsd: number | undefined): RunView {
  const { usage } = view;
  const cost = costUsd === undefined ? usage.costUsd : (usage.costUsd ?? 0) + costUsd;
  return {
    ...view,
    usage: {
      tokens: usage.tokens + tokens,
      toolCalls: usage.toolCalls + toolCalls,
      ...(cost !== undefined && { costUsd: cost }),
    },
  };
}
