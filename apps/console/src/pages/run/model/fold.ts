import type { RunEvent, RunStatus } from '@baton/client';
import { causesOf, questionKey } from './causes.ts';
import { decisionText, questionText } from './event-text.ts';
import { laneOf, nodeOf, runOf } from './runs.ts';
import { LEAST_SILENCE_MS } from './time-scale.ts';
import type {
  ArrowKind,
  Entry,
  Lane,
  NodeMoment,
  NodeTrack,
  RunTrack,
  Span,
  SpanKind,
  Totals,
  Tree,
} from './tree.ts';

/** Adds the next event of the tree. An event that is there already is left out. */
export function foldEvent(tree: Tree, event: RunEvent): void {
  if (tree.byId.has(event.eventId)) return;
  const position = tree.entries.length;
  const before = tree.entries[position - 1];
  const time = Math.max(before?.time ?? Number.NEGATIVE_INFINITY, Date.parse(event.timestamp));
  if (before !== undefined && time - before.time >= LEAST_SILENCE_MS) {
    tree.silences.push({ after: position - 1, from: before.time, to: time, working: tree.underWay.size > 0 });
  }
  const run = runOf(tree, event, position);
  const causes = causesOf(tree, run, event);
  const entry: Entry = { position, event, time, run, lane: laneOf(tree, run, event), causes };
  tree.entries.push(entry);
  tree.byId.set(event.eventId, position);
  run.positions.push(position);
  for (const cause of causes) {
    const known = tree.effects.get(cause);
    if (known === undefined) tree.effects.set(cause, [position]);
    else known.push(position);
  }
  foldStatus(entry);
  foldNodes(entry);
  foldSpans(tree, entry);
  foldArrows(tree, entry);
  foldTotals(tree, entry);
}

/** Work that goes to a child, comes back, and is merged or refused. */
function foldArrows(tree: Tree, { event, run, position, causes }: Entry): void {
  const add = (kind: ArrowKind, from: Lane, to: Lane): void =>
    void tree.arrows.push({ kind, at: position, from, to });
  switch (event.type) {
    case 'run.started':
      if (run.parent === undefined) return;
      add(run.role === 'critic' ? 'critic' : 'handoff', parentLane(run), run.lane);
      break;
    case 'run.completed':
    case 'run.failed':
    case 'run.cancelled':
      if (run.parent === undefined) return;
      add('return', run.lane, parentLane(run));
      break;
    case 'baton.merge.settled': {
      const child = tree.runs.get(event.payload.childRunId);
      if (child !== undefined) add(event.payload.merged ? 'merge' : 'refusal', child.lane, parentLane(child));
      return;
    }
    case 'variable.changed': {
      // Without a gate, the outputs of a worker are merged by the change that their harvest caused.
      const cause = tree.entries[causes[0] ?? -1]?.event;
      if (cause?.type !== 'core.workflowChain.event' || cause.payload.phase !== 'output.harvested') return;
      const child = tree.runs.get(cause.payload.childRunId ?? '');
      const isKnown = tree.arrows.at(-1)?.from === child?.lane && tree.arrows.at(-1)?.kind === 'merge';
      if (child !== undefined && !isKnown) add('merge', child.lane, parentLane(child));
      return;
    }
    default:
  }
}

function parentLane({ parent, parentNodeId, lane }: RunTrack): Lane {
  if (parent === undefined) return lane;
  return parent.agentLanes.find(({ nodeId }) => nodeId === parentNodeId) ?? parent.lane;
}

/** The states of the nodes of a run after each of its events. */
function foldNodes({ event, run, position }: Entry): void {
  if (hasEnded(event)) endNodes(run.nodes.values(), position);
  if (event.nodeId === undefined) return;
  const node = nodeOf(run, event.nodeId);
  const before = node.moments.at(-1)?.value;
  if (event.type === 'node.started') node.typeId = event.payload.typeId;
  const next = momentAfter(before, event);
  if (next !== undefined) node.moments.push({ at: position, value: next });
}

function hasEnded({ type }: RunEvent): boolean {
  return type === 'run.completed' || type === 'run.failed' || type === 'run.cancelled';
}

/** Work that was under way when a run ended was stopped with the run. */
function endNodes(nodes: Iterable<NodeTrack>, position: number): void {
  for (const node of nodes) {
    const last = node.moments.at(-1)?.value;
    const isOpen = last?.state === 'running' || last?.state === 'waiting' || last?.state === 'retrying';
    if (isOpen) node.moments.push({ at: position, value: { ...last, state: 'cancelled' } });
  }
}

function momentAfter(before: NodeMoment | undefined, event: RunEvent): NodeMoment | undefined {
  const executions = before?.executions ?? 0;
  const now = (state: NodeMoment['state'], text = before?.text ?? ''): NodeMoment => ({
    state,
    executions,
    text,
  });
  switch (event.type) {
    case 'node.started':
      if (event.payload.attempt > 1) return now('running');
      return { state: 'running', executions: executions + 1, text: '' };
    case 'node.completed':
      return now('completed');
    case 'node.failed':
      return now('failed', `${event.payload.error.code}: ${event.payload.error.message}`);
    case 'node.skipped':
      return now('skipped', event.payload.reason ?? '');
    case 'node.cancelled':
      return now('cancelled', event.payload.reason ?? '');
    case 'node.retried':
      return now('retrying', `attempt ${event.payload.attempt} after ${event.payload.lastError.code}`);
    case 'interrupt.requested':
      return now('waiting', questionText(event.payload));
    case 'interrupt.resolved':
      return before?.state === 'waiting' ? now('running') : undefined;
    case 'runOrchestrator.decided':
      return now('running', decisionText(event.payload));
    default:
      return undefined;
  }
}

/** More rows of one lane would be too thin to see. Further nodes share them. */
const MOST_ROWS = 3;

/** The effect of a tool call is drawn as the call that the agent made, which has the name of the tool. */
const TOOL_EFFECT = 'tool.call';

/** The spans of lanes: when nodes worked, effects were under way, and a run waited or was paused. */
function foldSpans(tree: Tree, entry: Entry): void {
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
      endSpans(tree, entry);
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
function endSpans(tree: Tree, { run, position }: Entry): void {
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

/** The status of a run after each of its events. */
function foldStatus({ event, run, position }: Entry): void {
  const next = statusAfter(run, event);
  if (next !== undefined && run.status.at(-1)?.value !== next) run.status.push({ at: position, value: next });
}

function statusAfter(run: RunTrack, event: RunEvent): RunStatus | undefined {
  switch (event.type) {
    case 'run.started':
    case 'baton.run.branched':
      return 'running';
    case 'run.resumed':
      return waitingOrRunning(run);
    case 'run.paused':
      return 'paused';
    case 'run.completed':
      return 'completed';
    case 'run.failed':
      return 'failed';
    case 'run.cancelled':
      return 'cancelled';
    case 'interrupt.requested':
      run.questions.set(event.payload.key, waitingStatus(event.payload.kind));
      return waitingOrRunning(run);
    case 'interrupt.resolved':
      run.questions.delete(event.payload.interruptId);
      return waitingOrRunning(run);
    default:
      return undefined;
  }
}

function waitingOrRunning(run: RunTrack): RunStatus {
  return [...run.questions.values()].at(-1) ?? 'running';
}

function waitingStatus(kind: string): RunStatus {
  if (kind === 'approval' || kind === 'low-confidence') return 'waiting-approval';
  return kind === 'external-event' ? 'waiting-external' : 'waiting-input';
}

/** What the tree has used up to each of its events. Every run tells its own use, so nothing is counted twice. */
function foldTotals(tree: Tree, { event, position }: Entry): void {
  const before: Totals = tree.totals.at(-1)?.value ?? {
    inputTokens: 0,
    outputTokens: 0,
    toolCalls: 0,
    turns: 0,
  };
  const now = (more: Partial<Totals>): void =>
    void tree.totals.push({ at: position, value: { ...before, ...more } });
  switch (event.type) {
    case 'provider.usage': {
      const { inputTokens, outputTokens, costEstimateUsd, cacheHit } = event.payload;
      if (cacheHit === true) return;
      now({
        inputTokens: before.inputTokens + inputTokens,
        outputTokens: before.outputTokens + outputTokens,
        ...(costEstimateUsd !== undefined && { costUsd: (before.costUsd ?? 0) + costEstimateUsd }),
      });
      break;
    }
    case 'agent.toolCalled':
      if (event.payload.made !== false) now({ toolCalls: before.toolCalls + 1 });
      return;
    case 'runOrchestrator.decided':
      now({ turns: before.turns + 1 });
      break;
    default:
  }
}
