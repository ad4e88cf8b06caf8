import type { RunEvent } from '@baton/client';
import { questionKey } from './causes.ts';
import { decisionText, questionText } from './event-text.ts';
import type { Entry, Span, SpanKind, Tree } from './tree.ts';

/** More rows of one lane would be too thin to see. Further nodes share them. */
const MOST_ROWS = 3;

/** The effect of a tool call is drawn as the call that the agent made, which has the name of the tool. */
const TOOL_EFFECT = 'tool.call';

/** The spans of lanes: when nodes worked, effects were under way, and a run waited or was paused. */
export function foldSpans(tree: Tree, entry: Entry): void {
  const { event, run, position } = entry;
  const key = (name: string): string => `${run.runId}|${name}`;
  switch (event.type) {
    case 'node.started': {
      const { nodeId, attempt, turn } = event.payload;
      if (attempt > 1 && tree.open.has(key(`node:${nodeId}`))) return;
      begin(tree, entry, key(`node:${nodeId}`), turn === undefined ? 'node' : 'turn', nodeId);
      break;
    }
    case 'node.completed':
    case 'node.failed':
    case 'node.cancelled':
      end(tree, key(`node:${event.payload.nodeId}`), position, endOf(event));
      break;
    case 'runOrchestrator.decided': {
      const open = event.nodeId === undefined ? undefined : tree.open.get(key(`node:${event.nodeId}`));
      if (open !== undefined) open.text = decisionText(event.payload);
      return;
    }
    case 'interrupt.requested':
      begin(tree, entry, key(questionKey(event) ?? ''), 'wait', questionText(event.payload));
      break;
    case 'interrupt.resolved':
      end(tree, key(questionKey(event) ?? ''), position, 'completed');
      break;
    case 'run.paused':
      begin(tree, entry, key('pause'), 'pause', event.payload.reason ?? 'Paused');
      break;
    case 'run.resumed':
      end(tree, key('pause'), position, 'completed');
      break;
    case 'run.completed':
    case 'run.failed':
    case 'run.cancelled':
      endAll(tree, entry);
      break;
    default:
      foldEffects(tree, entry, key(questionKey(event) ?? ''));
      break;
  }
}

function foldEffects(tree: Tree, entry: Entry, key: string): void {
  const { event, position } = entry;
  switch (event.type) {
    case 'baton.effect.intended': {
      const { kind } = event.payload.effect;
      tree.underWay.add(key);
      begin(tree, entry, key, 'effect', kind, kind !== TOOL_EFFECT);
      break;
    }
    case 'baton.effect.settled':
      tree.underWay.delete(key);
      end(tree, key, position, event.payload.error === undefined ? 'completed' : 'failed');
      break;
    case 'agent.toolCalled':
      begin(tree, entry, key, 'effect', event.payload.toolName);
      break;
    case 'agent.toolReturned':
      end(tree, key, position, event.payload.status === 'ok' ? 'completed' : 'failed');
      break;
    case 'agent.invocation.started':
      begin(tree, entry, key, 'effect', event.payload.agentId, false);
      break;
    case 'agent.invocation.completed':
      end(tree, key, position, 'completed');
      break;
    default:
      return;
  }
}

function endOf({ type }: RunEvent): NonNullable<Span['end']> {
  return type === 'node.completed' ? 'completed' : type === 'node.failed' ? 'failed' : 'cancelled';
}

function begin(
  tree: Tree,
  { event, lane, position }: Entry,
  key: string,
  kind: SpanKind,
  text: string,
  isDrawn = true,
): void {
  const row = kind === 'node' || kind === 'turn' ? freeRow(lane.spans) : 0;
  const span: Span = { kind, nodeId: event.nodeId, from: position, text, row };
  tree.open.set(key, span);
  if (!isDrawn) return;
  lane.spans.push(span);
  lane.rows = Math.max(lane.rows, row + 1);
}

/** The first row of a lane in which no node works. Open spans are among the newest ones. */
function freeRow(spans: readonly Span[]): number {
  const taken = new Set<number>();
  for (let index = spans.length - 1; index >= Math.max(0, spans.length - 64); index -= 1) {
    const span = spans[index];
    const isNode = span?.kind === 'node' || span?.kind === 'turn';
    if (span !== undefined && isNode && span.to === undefined) taken.add(span.row);
  }
  for (let row = 0; row < MOST_ROWS; row += 1) if (!taken.has(row)) return row;
  return MOST_ROWS - 1;
}

function end(tree: Tree, key: string, position: number, how: NonNullable<Span['end']>): void {
  const span = tree.open.get(key);
  if (span === undefined) return;
  span.to = position;
  span.end = how;
  tree.open.delete(key);
}

/** A run that has ended leaves nothing open. */
function endAll(tree: Tree, { run, position }: Entry): void {
  const prefix = `${run.runId}|`;
  for (const lane of [run.lane, ...run.agentLanes]) {
    for (const span of lane.spans) {
      if (span.to !== undefined) continue;
      span.to = position;
      span.end = 'cancelled';
    }
  }
  for (const key of tree.open.keys()) if (key.startsWith(prefix)) tree.open.delete(key);
  for (const key of tree.underWay) if (key.startsWith(prefix)) tree.underWay.delete(key);
}
