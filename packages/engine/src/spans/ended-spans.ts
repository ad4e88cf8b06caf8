import { parseTraceparent, type RunEvent } from '@baton/protocol';
import { callersTrace } from '../kernel/callers-trace.ts';
import { SUPERVISOR } from '../kernel/graph/loops.ts';
import { effectSteps, isPending, type OpenInterrupt, type Run } from '../kernel/run.ts';
import { effectSpan, keyOfStep } from './effect-span.ts';
import {
  type ChildOf,
  childSpans,
  criticSpans,
  detachedSpans,
  leftSpans,
  settledWorkerSpans,
  workerSpans,
} from './handoff-span.ts';
import {
  agentSpanId,
  type EndedSpan,
  handoffSpanId,
  idOf,
  nodeSpanId,
  runSpanId,
  spanOf,
  workSpanId,
} from './span.ts';

/** One event of a log, with the states of the run before and after it. */
interface Moment {
  readonly run: Run;
  readonly after: Run;
  readonly event: RunEvent;
  readonly at: number;
  readonly childOf: ChildOf;
  /** The keys of failed effects. Their nodes fail or are tried again with one of the next events. */
  readonly failed: Set<string>;
}

/** The spans that end with this event. */
export function endedSpans(moment: Moment): readonly EndedSpan[] {
  const { run, after, event, at, childOf } = moment;
  switch (event.type) {
    case 'run.completed':
    case 'run.failed':
    case 'run.cancelled':
      return [...leftSpans(run, at, childOf), runSpan(run, after, at)];
    case 'node.completed':
      return nodeSpans(moment, event.payload.nodeId);
    case 'node.cancelled':
      return nodeSpans(moment, event.payload.nodeId, 'cancelled');
    case 'node.failed':
      return nodeSpans(moment, event.payload.nodeId, event.payload.error.code);
    case 'node.retried':
      return nodeSpans(moment, event.payload.nodeId, event.payload.lastError.code);
    case 'agent.invocation.completed':
      return agentSpans(run, event.nodeId, event.payload.outcome, at);
    case 'baton.effect.settled':
      return effectSpans(moment, event.payload);
    case 'interrupt.resolved': {
      const open = run.interrupts[event.payload.interruptId];
      return open ? [interruptSpan(run, open, event.payload.outcome, at)] : [];
    }
    case 'core.workflowChain.event':
      return workerSpans(run, event, at, childOf);
    case 'baton.worker.settled':
      return settledWorkerSpans(run, event, at, childOf);
    case 'agent.verified':
      return criticSpans(run, event.nodeId, event.payload.verdict, at, childOf);
    case 'baton.merge.settled':
      return criticSpans(run, event.nodeId, undefined, at, childOf);
    case 'baton.child.ended':
      return detachedSpans(run, event, at, childOf);
    default:
      return [];
  }
}

function runSpan(run: Run, { phase }: Run, endedAt: number): EndedSpan {
  const { runId, parent, fork, workflowId } = run;
  const caller = callersTrace(run);
  const called = caller === undefined ? undefined : parseTraceparent(caller)?.spanId;
  const status = phase.kind === 'ended' ? phase.status : phase.kind;
  return spanOf(run, {
    spanId: runSpanId(runId),
    parentSpanId: parent ? handoffSpanId(runId) : called,
    name: `invoke_workflow ${workflowId}`,
    startedAt: run.startedAt,
    endedAt,
    attributes: {
      'gen_ai.operation.name': 'invoke_workflow',
      'gen_ai.workflow.name': workflowId,
      'baton.workflow.version': run.workflowVersion,
      'baton.tenant': run.tenant,
      'baton.run.status': status,
      ...(run.role && { 'baton.run.role': run.role }),
      ...(fork && { 'baton.fork.source.run.id': fork.sourceRunId, 'baton.fork.from_seq': fork.fromSeq }),
    },
    error: phase.kind === 'ended' ? phase.error?.code : undefined,
  });
}

/** The attempt of a node, and all that ends with it because it is no longer awaited. */
function nodeSpans(moment: Moment, nodeId: string, error?: string): readonly EndedSpan[] {
  const { run, after, at, childOf, failed } = moment;
  const state = run.nodes[nodeId];
  // A node that waits for its next attempt has no attempt that could end.
  if (state?.status !== 'running') return [];
  const { typeId, execution, attempt, startedAt, wait } = state;
  const isTurn = typeId === SUPERVISOR;
  const decided = wait.for === 'nothing' ? wait.decided : undefined;
  const node = spanOf(run, {
    spanId: nodeSpanId(run, nodeId),
    parentSpanId: runSpanId(run.runId),
    name: `${isTurn ? 'turn' : 'node'} ${nodeId}`,
    startedAt,
    endedAt: at,
    attributes: {
      'baton.node.id': nodeId,
      'baton.node.type': typeId,
      'baton.node.execution': execution,
      'baton.node.attempt': attempt,
      ...(isTurn && { 'baton.turn.iteration': run.iteration }),
      ...(decided && { 'baton.decision.kind': decided }),
    },
    error,
  });
  const aborted = effectSteps(run, nodeId)
    .filter((step) => isPending(step) && !failed.has(keyOfStep(run, nodeId, step.step)))
    .map((step) => effectSpan(run, step, { nodeId, endedAt: at, error: 'aborted' }));
  const open = Object.values(run.interrupts)
    .filter((one) => one.nodeId === nodeId)
    .map((one) => interruptSpan(run, one, 'withdrawn', at));
  return [...aborted, ...open, ...childSpans(run, after, nodeId, at, childOf), node];
}

function agentSpans(
  run: Run,
  nodeId: string | undefined,
  outcome: string,
  endedAt: number,
): readonly EndedSpan[] {
  const state = nodeId === undefined ? undefined : run.nodes[nodeId];
  const invocation = state?.status === 'running' ? state.invocation : undefined;
  if (nodeId === undefined || invocation === undefined) return [];
  const { id, agentId, startedAt } = invocation;
  const attributes = {
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.id': agentId,
    'gen_ai.agent.name': agentId,
    'baton.node.id': nodeId,
    'baton.agent.outcome': outcome,
  };
  return [
    spanOf(run, {
      spanId: agentSpanId(run.runId, id),
      parentSpanId: nodeSpanId(run, nodeId),
      name: `invoke_agent ${agentId}`,
      startedAt,
      endedAt,
      attributes,
      error: outcome === 'failed' ? 'agent_failed' : undefined,
    }),
  ];
}

type Settled = Extract<RunEvent, { type: 'baton.effect.settled' }>['payload'];

function effectSpans({ run, at, failed }: Moment, { nodeId, step, outputs, error }: Settled) {
  const found = effectSteps(run, nodeId).find((one) => one.step === step);
  if (found === undefined) return [];
  if (error !== undefined) failed.add(keyOfStep(run, nodeId, step));
  return [effectSpan(run, found, { nodeId, endedAt: at, outputs, error: error?.code })];
}

function interruptSpan(run: Run, open: OpenInterrupt, outcome: string, endedAt: number): EndedSpan {
  const { nodeId, request, requestId, requestedAt } = open;
  return spanOf(run, {
    spanId: idOf('interrupt', `${run.runId}/${requestId}`),
    parentSpanId: workSpanId(run, nodeId),
    name: `interrupt ${request.kind}`,
    startedAt: requestedAt,
    endedAt,
    attributes: {
      'baton.node.id': nodeId,
      'baton.interrupt.kind': request.kind,
      'baton.interrupt.outcome': outcome,
    },
  });
}
