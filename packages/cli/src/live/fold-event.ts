import type { OutputChunk, RunEvent } from '@baton/protocol';
import { foldGate } from './fold-gate.ts';
import { foldWork } from './fold-work.ts';
import type { NodeView, RunView } from './view.ts';
import { withNode, withStep } from './view.ts';

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
