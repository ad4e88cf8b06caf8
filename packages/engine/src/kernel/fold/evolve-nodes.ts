import { type EventOf, laterBy } from '@baton/protocol';
import { type NodeState, type Run, setWait, type Wait } from '../run.ts';
import { lettingGo, pastVerdict, withSettled } from './evolve-children.ts';
import { sizeWithNode } from './evolve-values.ts';

/** The part of the fold for the nodes of a run: from the start of an attempt to its end. */

const NOTHING: Wait = { for: 'nothing' };

export function nodeStarted(run: Run, event: EventOf<'node.started'>, at: number): Run {
  const { nodeId, typeId, attempt, timeoutMs, turn } = event.payload;
  const before = run.nodes[nodeId];
  const retried = before?.status === 'retrying';
  const isDispatch = typeId === 'core.dispatch';
  const state: NodeState = {
    status: 'running',
    typeId,
    execution: retried ? before.execution : (before?.execution ?? 0) + 1,
    attempt,
    startedId: event.eventId,
    startedSeq: event.sequence,
    startedAt: at,
    wait: firstWait(run, isDispatch, at, event),
    ...(timeoutMs !== undefined && { deadline: laterBy(at, timeoutMs) }),
  };
  const next: Run = {
    ...run,
    nodes: { ...run.nodes, [nodeId]: state },
    size: sizeWithNode(run, before, state),
    active: retried ? run.active : [...run.active, nodeId],
    executions: retried ? run.executions : run.executions + 1,
    dispatches: isDispatch && !retried ? run.dispatches + 1 : run.dispatches,
  };
  const seen = turn?.workspace ? { ...next, workspace: turn.workspace } : next;
  if (!isDispatch || seen.decision === undefined) return seen;
  const { decision: _consumed, ...rest } = seen;
  return rest;
}

function firstWait(run: Run, isDispatch: boolean, at: number, event: EventOf<'node.started'>): Wait {
  const { waitMs, handsTo } = event.payload;
  if (waitMs !== undefined) return { for: 'time', until: laterBy(at, waitMs) };
  if (isDispatch && run.decision !== undefined) return { for: 'workers', decision: run.decision, began: 0 };
  if (handsTo === undefined) return NOTHING;
  // The author chose this worker, not a supervisor, so the transitions begin with the start of the node.
  const decision = { kind: 'next-worker' as const, nextWorkerIds: [handsTo] };
  return { for: 'workers', decision: { eventId: event.eventId, decision }, began: 0 };
}

export function nodeCompleted(run: Run, event: EventOf<'node.completed'>): Run {
  const { nodeId, outputs } = event.payload;
  const before = run.nodes[nodeId];
  const kind =
    before?.status === 'running' && before.wait.for === 'nothing' ? before.wait.decided : undefined;
  return leave(pastVerdict(lettingGo(run, event.payload), nodeId), nodeId, {
    status: 'completed',
    outputs: outputs ?? {},
    ...identity(run, nodeId),
    ...(kind !== undefined && { decided: kind }),
  });
}

export function nodeFailed(run: Run, { payload: { nodeId, error } }: EventOf<'node.failed'>): Run {
  const state = withSettled(run, nodeId, { status: 'failed' as const, error, ...identity(run, nodeId) });
  return leave(pastVerdict(run, nodeId), nodeId, state);
}

export function nodeRetried(run: Run, { payload }: EventOf<'node.retried'>, at: number): Run {
  const { nodeId, delayMs, lastError } = payload;
  const state: NodeState = {
    status: 'retrying',
    until: laterBy(at, delayMs),
    error: lastError,
    ...identity(run, nodeId),
  };
  const size = sizeWithNode(run, run.nodes[nodeId], state);
  return { ...run, nodes: { ...run.nodes, [nodeId]: state }, size };
}

/** A skipped node was never started; a cancelled node may have been. */
export function nodeLeftOut(run: Run, event: EventOf<'node.skipped' | 'node.cancelled'>): Run {
  const { nodeId, reason } = event.payload;
  const status = event.type === 'node.skipped' ? 'skipped' : 'cancelled';
  const state = { status, ...identity(run, nodeId), ...(reason && { reason }) } as const;
  return leave(run, nodeId, withSettled(run, nodeId, state));
}

export function decided(run: Run, event: EventOf<'runOrchestrator.decided'>): Run {
  const { agentId, decision, iteration } = event.payload;
  const { nodes } =
    event.nodeId === undefined ? run : setWait(run, event.nodeId, { for: 'nothing', decided: decision.kind });
  return {
    ...run,
    nodes,
    iteration,
    orchestrator: run.orchestrator ?? { agentId },
    decision: { eventId: event.eventId, decision },
  };
}

function leave(run: Run, nodeId: string, state: NodeState): Run {
  const active = run.active.filter((id) => id !== nodeId);
  const size = sizeWithNode(run, run.nodes[nodeId], state);
  return { ...run, nodes: { ...run.nodes, [nodeId]: state }, size, active };
}

function identity(run: Run, nodeId: string) {
  const state = run.nodes[nodeId];
  return {
    typeId: state?.typeId ?? '',
    execution: state?.execution ?? 0,
    attempt: state?.attempt ?? 0,
    startedId: state?.startedId ?? '',
    startedSeq: state?.startedSeq ?? -1,
  };
}
