import { type EventOf, laterBy, type RunEvent, rootRunId } from '@baton/protocol';
import { withGrant } from '../people/grants.ts';
import { RULES } from '../rules.ts';
import { type NodeState, type Run, type RunPhase, setWait, type Wait } from '../run.ts';
import { evolveChildEnded, lettingGo, pastVerdict, withSettled } from './evolve-children.ts';
import { branched, memoryAtStart, onScope, parted } from './evolve-fork.ts';
import {
  evolveCriticStarted,
  evolveDispatched,
  evolveMergeSettled,
  evolveTransition,
  evolveVerified,
  evolveWorkerSettled,
} from './evolve-handoff.ts';
import { interruptRequested, interruptResolved, voteReceived } from './evolve-interrupts.ts';
import {
  cutChannel,
  type Owned,
  setVariable,
  sizeAtStart,
  sizeWithNode,
  writeChannel,
} from './evolve-values.ts';

const NOTHING: Wait = { for: 'nothing' };

/** The fold. `at` is the timestamp of the event in epoch milliseconds. For `own` see `Owned`. */
export function evolve(run: Run | undefined, event: RunEvent, at: number, own?: Owned): Run {
  if (event.type === 'run.started') return begin(event, at);
  if (run === undefined) throw new Error(`a log must begin with run.started, not ${event.type}`);
  if (event.sequence !== run.head) {
    throw new Error(`expected sequence ${run.head} of run ${run.runId}, found ${event.sequence}`);
  }
  const next = apply(run, event, at, own);
  // No other code refers to a new state yet, so it is changed in place. Copies are the main cost of the fold.
  const mine: { -readonly [K in keyof Run]: Run[K] } = next === run ? { ...run } : next;
  mine.head = event.sequence + 1;
  mine.at = at;
  return mine;
}

function begin(event: EventOf<'run.started'>, at: number): Run {
  const given = event.payload;
  if ((given.rules ?? 0) > RULES) throw new Error(`this version cannot fold a run of rules ${given.rules}`);
  const parent =
    given.parentRunId !== undefined && given.parentNodeId !== undefined
      ? { runId: given.parentRunId, nodeId: given.parentNodeId }
      : undefined;
  return {
    runId: event.runId,
    rootId: rootRunId(event.runId),
    tenant: given.owner.tenant,
    principal: given.owner.principal,
    ...(given.scopes && { scopes: given.scopes }),
    workflowId: given.workflowId,
    workflowVersion: given.workflowVersion,
    definition: given.definition,
    ...(parent && { parent }),
    lineage: given.lineage ?? [],
    limits: given.limits,
    ...(given.rules !== undefined && { rules: given.rules }),
    chainEvents: given.chainEvents ?? true,
    inputs: given.inputs,
    configurable: given.configurable ?? {},
    tags: given.tags ?? [],
    ...(given.metadata && { metadata: given.metadata }),
    ...(given.scopeId && { scopeId: given.scopeId }),
    ...(given.traceparent && { traceparent: given.traceparent }),
    ...(given.agent && { agent: given.agent }),
    ...(given.role && { role: given.role }),
    memory: memoryAtStart(event.runId, given),
    ...(given.workspace && { workspace: given.workspace }),
    startedAt: at,
    at,
    head: event.sequence + 1,
    phase: { kind: 'running' },
    variables: given.variables,
    size: sizeAtStart(given.variables),
    channels: {},
    nodes: {},
    active: [],
    interrupts: {},
    artifacts: {},
    iteration: 0,
    executions: 0,
    dispatches: 0,
    children: 0,
    unresolved: [],
  };
}

function apply(run: Run, event: RunEvent, at: number, own: Owned | undefined): Run {
  switch (event.type) {
    case 'run.started':
      throw new Error('run.started may only be the first event');
    case 'run.paused':
      return { ...run, phase: { kind: 'paused' } };
    case 'baton.run.draining':
      return { ...run, phase: { kind: 'draining', ...event.payload } };
    case 'run.resumed':
      return { ...run, phase: { kind: 'running' } };
    case 'run.completed':
      return {
        ...ended(run, { kind: 'ended', status: 'completed' }),
        ...(event.payload.goal && { goal: event.payload.goal }),
      };
    case 'run.failed':
      return ended(run, { kind: 'ended', status: 'failed', error: event.payload.error });
    case 'run.cancelled':
      return ended(run, { kind: 'ended', status: 'cancelled' });
    case 'node.started':
      return nodeStarted(run, event, at);
    case 'node.completed':
      return nodeCompleted(run, event);
    case 'node.failed': {
      const { nodeId, error } = event.payload;
      const state = withSettled(run, nodeId, { ...identity(run, nodeId), status: 'failed' as const, error });
      return leave(pastVerdict(run, nodeId), nodeId, state);
    }
    case 'node.retried': {
      const { nodeId, delayMs, lastError } = event.payload;
      const state: NodeState = {
        ...identity(run, nodeId),
        status: 'retrying',
        until: laterBy(at, delayMs),
        error: lastError,
      };
      return withNode(run, nodeId, state);
    }
    case 'node.skipped':
    case 'node.cancelled': {
      const { nodeId, reason } = event.payload;
      const status = event.type === 'node.skipped' ? 'skipped' : 'cancelled';
      const state = { ...identity(run, nodeId), status, ...(reason && { reason }) } as const;
      return leave(run, nodeId, withSettled(run, nodeId, state));
    }
    case 'node.dispatched':
      return evolveDispatched(run, event);
    case 'core.workflowChain.event':
      return evolveTransition(run, event);
    case 'baton.worker.settled':
      return evolveWorkerSettled(run, event);
    case 'baton.child.ended':
      return evolveChildEnded(run, event);
    case 'baton.critic.started':
      return evolveCriticStarted(run, event, at);
    case 'agent.verified':
      return withGrant(evolveVerified(run, event), event);
    case 'baton.merge.settled':
      return withGrant(evolveMergeSettled(run, event), event);
    case 'runOrchestrator.decided':
      return decided(run, event);
    case 'interrupt.requested':
      return interruptRequested(run, event, at);
    case 'approval.received':
      return withGrant(voteReceived(run, event), event);
    case 'interrupt.resolved':
      return interruptResolved(run, event);
    case 'variable.changed':
      return setVariable(run, event.payload, own ?? {});
    case 'channel.written':
      return writeChannel(run, event.payload, at, own ?? {});
    case 'baton.channel.trimmed':
      return cutChannel(run, event.payload, own ?? {});
    case 'memory.written':
    case 'baton.memory.forgotten':
    case 'baton.memory.carried':
    case 'baton.memory.seen':
      return { ...run, memory: { ...run.memory, version: event.payload.version } };
    case 'baton.run.branched':
      return branched(run, event.payload);
    case 'replay.diverged':
    case 'replay.divergedAtRefusal':
      return parted(run, event.payload);
    case 'baton.memory.branched':
      return onScope(run, event.payload.memoryRef);
    case 'workspace.updated':
    case 'node.suspended':
    case 'node.resumed':
    case 'clarification.requested':
    case 'clarification.resolved':
    case 'cap.breached':
    case 'provider.usage':
    case 'baton.model.asked':
    case 'envelope.retry.attempted':
    case 'envelope.retry.exhausted':
    case 'envelope.refusal':
    case 'envelope.truncated':
    case 'envelope.nlToFormat.engaged':
    case 'envelope.recovery.applied':
    case 'authorization.decided':
    case 'approval.granted':
    case 'approval.rejected':
    case 'approval.overridden':
    case 'core.workflowChain.confidence-escalated':
    case 'agent.reasoned':
    case 'agent.reasoning.delta':
    case 'agent.toolCalled':
    case 'agent.toolReturned':
    case 'agent.handoff':
    case 'agent.decided':
      return run;
    default:
      // Only a newer version writes unknown events. Guessing their meaning would corrupt the run.
      throw new Error(
        `this version cannot fold an event of type ${(event satisfies never as RunEvent).type}`,
      );
  }
}

function ended(run: Run, phase: RunPhase): Run {
  const { detached: _nobodyWaits, ...rest } = run;
  return { ...rest, phase, active: [], interrupts: {} };
}

function nodeStarted(run: Run, event: EventOf<'node.started'>, at: number): Run {
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
    wait: firstWait(run, isDispatch, at, event),
    ...(timeoutMs !== undefined && { deadline: laterBy(at, timeoutMs) }),
  };
  const next = {
    ...run,
    nodes: { ...run.nodes, [nodeId]: state },
    size: sizeWithNode(run, before, state),
    active: retried ? run.active : [...run.active, nodeId],
    executions: retried ? run.executions : run.executions + 1,
    dispatches: isDispatch && !retried ? run.dispatches + 1 : run.dispatches,
    ...(turn?.workspace && { workspace: turn.workspace }),
  };
  if (!isDispatch) return next;
  const { decision: _consumed, ...rest } = next;
  return rest;
}

function firstWait(run: Run, isDispatch: boolean, at: number, event: EventOf<'node.started'>): Wait {
  const { waitMs, effect, handsTo } = event.payload;
  if (waitMs !== undefined) return { for: 'time', until: laterBy(at, waitMs) };
  if (effect !== undefined) return { for: 'effect', effect };
  if (isDispatch && run.decision !== undefined) return { for: 'workers', decision: run.decision, began: 0 };
  if (handsTo === undefined) return NOTHING;
  // The author chose this worker, not a supervisor, so the transitions begin with the start of the node.
  const decision = { kind: 'next-worker' as const, nextWorkerIds: [handsTo] };
  return { for: 'workers', decision: { eventId: event.eventId, decision }, began: 0 };
}

function nodeCompleted(run: Run, event: EventOf<'node.completed'>): Run {
  const { nodeId, outputs } = event.payload;
  const before = run.nodes[nodeId];
  const kind =
    before?.status === 'running' && before.wait.for === 'nothing' ? before.wait.decided : undefined;
  return leave(pastVerdict(lettingGo(run, event.payload), nodeId), nodeId, {
    ...identity(run, nodeId),
    status: 'completed',
    outputs: outputs ?? {},
    ...(kind !== undefined && { decided: kind }),
  });
}

function decided(run: Run, event: EventOf<'runOrchestrator.decided'>): Run {
  const { agentId, decision, iteration } = event.payload;
  const next: Run = {
    ...run,
    iteration,
    orchestrator: run.orchestrator ?? { agentId },
    decision: { eventId: event.eventId, decision },
  };
  return event.nodeId === undefined
    ? next
    : setWait(next, event.nodeId, { for: 'nothing', decided: decision.kind });
}

function withNode(run: Run, nodeId: string, state: NodeState): Run {
  return { ...run, nodes: { ...run.nodes, [nodeId]: state } };
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
