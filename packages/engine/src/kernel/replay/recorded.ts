import type { EventOf, EventType, PayloadOf, RunEvent } from '@baton/protocol';
import { effectKey } from '../effect-key.ts';
import { settleDone, settleFailed } from '../effects.ts';
import { cancelRun } from '../ending.ts';
import { closeAsRecorded } from '../people/interrupts.ts';
import { type EffectStep, effectSteps, isPending, type NodeState } from '../run.ts';
import { emit, type WorkingRun } from '../working-run.ts';
import { asksAgain } from './asks-again.ts';
import { inOwnWords, type Recorded, readOn, type Source } from './source.ts';
import { stopAhead } from './stop.ts';

/**
 * Takes events that came from outside (answers, outcomes, a pause) from the log of the source, because a
 * replay cannot compute them. The replay computes all other events itself.
 */
type Taken =
  /** The event was copied. */
  | 'taken'
  /** The event did not come from outside: the kernel has to compute it. */
  | 'not-from-outside'
  /** The source was stopped here. From now on the replay goes on by itself. */
  | 'stopped'
  /** A model was asked again and has not answered yet. */
  | 'asked'
  /** The parent of the source did this, so the parent must take the next step. */
  | 'by-parent'
  /** The run fails in this step, whatever node its first event names. */
  | 'fails'
  /** More of the source has to be read first. */
  | 'unknown';

export function takeRecorded(working: WorkingRun, source: Source, recorded: Recorded): Taken {
  const { event } = recorded;
  const stop = stopAhead(working, source);
  if (stop === 'unknown') return stop;
  if (stop === 'failed') return 'fails';
  if (stop === 'cancelled') return takeCancel(working, source);
  const outcome = takeOutcome(working, event);
  if (outcome !== undefined) return outcome;
  switch (event.type) {
    case 'approval.received':
      return event.payload.action === 'timeout' ? 'not-from-outside' : copy(working, event);
    case 'approval.granted':
    case 'approval.rejected':
    case 'approval.overridden':
    case 'clarification.resolved':
    case 'output.chunk':
    case 'baton.run.draining':
    case 'run.resumed':
    case 'replay.diverged':
      return copy(working, event);
    case 'agent.reasoning.delta':
      return isLive(working, event) ? copy(working, event) : 'not-from-outside';
    case 'clarification.requested':
      return event.payload.askedBy === undefined ? 'not-from-outside' : copy(working, event);
    case 'run.paused':
      return working.run.phase.kind === 'running' ? copy(working, event) : 'not-from-outside';
    case 'baton.run.branched':
      return takeBranching(working, source, event);
    case 'variable.changed':
      return event.nodeId === undefined ? copy(working, event) : 'not-from-outside';
    case 'interrupt.resolved':
      return takeAnswer(working, event);
    case 'run.failed':
      return takeFailure(working, event);
    default:
      return 'not-from-outside';
  }
}

function copy<T extends EventType>(working: WorkingRun, event: EventOf<T> & RunEvent): 'taken' {
  const cause = inOwnWords(event, working, event.causationId);
  emit(working, event.type, event.payload as PayloadOf<EventType>, event.nodeId, cause);
  return 'taken';
}

/**
 * A replay ignores a failure by a defect of the host and goes on by itself. It repeats a failure that happened
 * because the tenant had no storage left.
 */
function takeFailure(working: WorkingRun, event: EventOf<'run.failed'>): Taken {
  switch (event.payload.error.code) {
    case 'run_quarantined':
      return 'stopped';
    case 'storage_exceeded':
      return copy(working, event);
    default:
      return 'not-from-outside';
  }
}

function takeAnswer(working: WorkingRun, event: EventOf<'interrupt.resolved'>): Taken {
  const { outcome, interruptId } = event.payload;
  if (outcome !== 'answered' && outcome !== 'rejected') return 'not-from-outside';
  const open = working.run.interrupts[interruptId];
  if (open === undefined) return 'not-from-outside';
  closeAsRecorded(
    working,
    open,
    event.payload,
    inOwnWords(event, working, event.causationId) ?? open.requestId,
  );
  return 'taken';
}

/** Parts of the reasoning of a model come from outside; those of a scripted agent do not. */
function isLive({ run }: WorkingRun, { nodeId }: RunEvent): boolean {
  return nodeId !== undefined && effectSteps(run, nodeId).some(isPending);
}

/** Copies the changes that the caller of a branch made, and the retry of a node. */
function takeBranching(working: WorkingRun, source: Source, event: EventOf<'baton.run.branched'>): Taken {
  const next = source.ahead[1];
  if (next === undefined && !source.complete) return readOn(working);
  copy(working, event);
  if (next?.event.type === 'node.retried' && !next.starts) copy(working, next.event);
  return 'taken';
}

/**
 * A person cancelled one child: the replay repeats this, because it affects the parent. A replay ignores the
 * cancellation of the whole run and goes on.
 */
function takeCancel(working: WorkingRun, source: Source): Taken {
  const end = source.ahead.find(({ event }) => event.type === 'run.cancelled')?.event;
  if (end === undefined && !source.complete) return readOn(working);
  const words = end?.type === 'run.cancelled' ? end.payload : {};
  if (words.parentRunId !== undefined && working.run.parent !== undefined) return 'by-parent';
  if (working.run.parent === undefined) return 'stopped';
  const { reason, cancelledBy } = words;
  cancelRun(working, { ...(reason && { reason }), ...(cancelledBy && { by: cancelledBy }) });
  return 'taken';
}

type Running = Extract<NodeState, { status: 'running' }>;

/**
 * The running state of a node that waits for effects, unless the event is its time-out. A late outcome may
 * still count.
 */
function awaitingEffects(working: WorkingRun, nodeId: string, event: RunEvent): Running | undefined {
  const state = working.run.nodes[nodeId];
  if (state?.status !== 'running' || state.wait.for !== 'effects') return undefined;
  const isLate = state.deadline !== undefined && state.deadline <= working.tree.world.now;
  return isLate && failureIn(event) === 'node_timeout' ? undefined : state;
}

function failureIn(event: RunEvent): string | undefined {
  if (event.type === 'node.failed') return event.payload.error.code;
  return event.type === 'node.retried' ? event.payload.lastError.code : undefined;
}

function takeOutcome(working: WorkingRun, event: RunEvent): Taken | undefined {
  const { nodeId } = event;
  if (nodeId === undefined || event.type === 'output.chunk' || event.type === 'agent.reasoning.delta')
    return undefined;
  const state = awaitingEffects(working, nodeId, event);
  if (state?.wait.for !== 'effects') return undefined;
  const { steps } = state.wait;
  if (event.type !== 'baton.effect.retried' && event.type !== 'baton.effect.settled') return undefined;
  const step = steps.find((one) => one.step === event.payload.step && isPending(one));
  if (step === undefined) return undefined;
  if (event.type === 'baton.effect.settled' && asksAgain(working, step.effect)) {
    const { execution, attempt } = state;
    working.tree.asking.add(effectKey(working.run, { nodeId, execution, attempt, step: step.step }));
    return 'asked';
  }
  repeatOutcome(working, nodeId, step, event);
  return 'taken';
}

/** Takes an outcome from the source. The events that the node records for it are computed again. */
export function repeatOutcome(
  working: WorkingRun,
  nodeId: string,
  step: EffectStep,
  event: EventOf<'baton.effect.retried' | 'baton.effect.settled'>,
): void {
  const node = working.plan.nodes.get(nodeId);
  if (node === undefined) return;
  const { spent } = event.payload;
  if (event.type === 'baton.effect.retried') {
    copy(working, event);
    if (spent) node.type.spent?.(working, nodeId, step, spent);
  } else if (event.payload.error) {
    const { error, retryable } = event.payload;
    settleFailed(working, node, step, {
      error,
      ...(retryable === false && { retryable }),
      ...(spent && { spent }),
    });
  } else settleDone(working, node, step, event.payload.outputs ?? {});
}

const ENDS_OUTCOME: readonly EventType[] = ['node.completed', 'node.failed', 'node.retried'];

/** All events of one outcome. */
export function burstOf(
  working: WorkingRun,
  source: Source,
  nodeId: string,
): readonly RunEvent[] | 'unknown' {
  const burst: RunEvent[] = [];
  for (const { event, starts } of source.ahead) {
    if (event.nodeId !== nodeId || (starts && burst.length > 0)) return burst;
    burst.push(event);
    if (ENDS_OUTCOME.includes(event.type)) return burst;
  }
  return source.complete ? burst : readOn(working);
}
