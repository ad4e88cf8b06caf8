import type { PayloadOf, RunEvent } from '@baton/protocol';
import { type NodeView, type RunView, type StepView, withNode, withStep } from './view.ts';

/** The events of nodes, agents and models. */

export function foldWork(view: RunView, event: RunEvent, time: number): RunView {
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
