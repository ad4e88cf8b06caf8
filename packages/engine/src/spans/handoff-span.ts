import type { EventOf } from '@baton/protocol';
import { handoffOf, type Run } from '../kernel/run.ts';
import {
  type EndedSpan,
  handoffSpanId,
  idOf,
  nodeSpanId,
  runSpanId,
  type SpanAttributes,
  spanOf,
} from './span.ts';

/** The spans of handoffs: from the start of a child until its parent has recorded its end. */

/** A child run that is in memory with its tree. */
export type ChildOf = (childRunId: string) => Run | undefined;

interface EndedHandoff {
  readonly nodeId: string;
  readonly childRunId: string;
  readonly endedAt: number;
  readonly error?: string | undefined;
  readonly attributes?: SpanAttributes;
}

function handoffSpan(run: Run, childOf: ChildOf, ended: EndedHandoff): EndedSpan {
  const { nodeId, childRunId, endedAt, error, attributes } = ended;
  const child = childOf(childRunId);
  const state = run.nodes[nodeId];
  const nodeStart = state?.status === 'running' ? state.startedAt : endedAt;
  return spanOf(run, {
    spanId: handoffSpanId(childRunId),
    parentSpanId: isOfSource(run, nodeId) ? runSpanId(run.runId) : nodeSpanId(run, nodeId),
    name: child ? `handoff ${child.workflowId}` : 'handoff',
    startedAt: child?.startedAt ?? nodeStart,
    endedAt,
    attributes: { 'baton.node.id': nodeId, 'baton.child.run.id': childRunId, ...attributes },
    error: error ?? (child?.phase.kind === 'ended' ? child.phase.error?.code : undefined),
  });
}

/** The attempt that started the child ended before the cut of this branch, so its span is one of the source. */
function isOfSource({ fork, nodes }: Run, nodeId: string): boolean {
  const state = nodes[nodeId];
  return fork !== undefined && state?.status !== 'running' && (state?.startedSeq ?? 0) < fork.fromSeq;
}

/** A transition in the life of a worker. Most of them end nothing. */
export function workerSpans(
  run: Run,
  event: EventOf<'core.workflowChain.event'>,
  endedAt: number,
  childOf: ChildOf,
): readonly EndedSpan[] {
  const { nodeId, payload } = event;
  const { phase, childRunId, workerId, error } = payload;
  if (nodeId === undefined) return [];
  switch (phase) {
    case 'child.completed':
    case 'child.failed':
    case 'child.cancelled':
      if (childRunId === undefined) return [];
      return [handoffSpan(run, childOf, { nodeId, childRunId, endedAt, error: error?.code })];
    case 'dispatch.failed':
      return [unstarted(run, nodeId, event.eventId, workerId, endedAt, error?.code)];
    case 'dispatch.began':
    case 'dispatch.succeeded':
    case 'output.harvested':
      return [];
  }
}

/** A worker that could not be started has no child, and its handoff takes no time. */
function unstarted(
  run: Run,
  nodeId: string,
  eventId: string,
  workerId: string,
  at: number,
  error = 'dispatch_failed',
): EndedSpan {
  return spanOf(run, {
    spanId: idOf('handoff', eventId),
    parentSpanId: nodeSpanId(run, nodeId),
    name: `handoff ${workerId}`,
    startedAt: at,
    endedAt: at,
    attributes: { 'baton.node.id': nodeId },
    error,
  });
}

/** The end of a worker in a run without transition events. */
export function settledWorkerSpans(
  run: Run,
  { nodeId, payload }: EventOf<'baton.worker.settled'>,
  endedAt: number,
  childOf: ChildOf,
): readonly EndedSpan[] {
  const { childRunId } = payload;
  if (nodeId === undefined || childRunId === undefined) return [];
  return [handoffSpan(run, childOf, { nodeId, childRunId, endedAt })];
}

/** The critic of the node's worker has given its verdict, or is no longer awaited. */
export function criticSpans(
  run: Run,
  nodeId: string | undefined,
  verdict: string | undefined,
  endedAt: number,
  childOf: ChildOf,
): readonly EndedSpan[] {
  const handoff = nodeId === undefined ? undefined : handoffOf(run, nodeId);
  if (nodeId === undefined || handoff?.state !== 'verifying' || handoff.critic === undefined) return [];
  const attributes = {
    'baton.handoff.role': 'critic',
    ...(verdict !== undefined && { 'gen_ai.evaluation.score.label': verdict }),
  };
  return [handoffSpan(run, childOf, { nodeId, childRunId: handoff.critic.runId, endedAt, attributes })];
}

/** The child of a sub-workflow, which ends with its node. A child that goes on without its node ends later. */
export function childSpans(
  run: Run,
  after: Run,
  nodeId: string,
  endedAt: number,
  childOf: ChildOf,
): readonly EndedSpan[] {
  const state = run.nodes[nodeId];
  if (state?.status !== 'running' || state.wait.for !== 'child') return [];
  const { childRunId } = state.wait;
  if (isDetached(after, childRunId)) return [];
  return [handoffSpan(run, childOf, { nodeId, childRunId, endedAt })];
}

/** A child that no node waited for has ended. */
export function detachedSpans(
  run: Run,
  { nodeId, payload: { childRunId } }: EventOf<'baton.child.ended'>,
  endedAt: number,
  childOf: ChildOf,
): readonly EndedSpan[] {
  if (nodeId === undefined || !isDetached(run, childRunId)) return [];
  return [handoffSpan(run, childOf, { nodeId, childRunId, endedAt })];
}

/** Children that go on after the end of their parent. The parent records nothing of them any more. */
export function leftSpans(run: Run, endedAt: number, childOf: ChildOf): readonly EndedSpan[] {
  return (run.detached ?? []).map(({ nodeId, childRunId }) =>
    handoffSpan(run, childOf, { nodeId, childRunId, endedAt }),
  );
}

function isDetached({ detached = [] }: Run, childRunId: string): boolean {
  return detached.some((one) => one.childRunId === childRunId);
}
