import type { RunEvent } from '@baton/protocol';
import { withGrant } from '../people/grants.ts';
import type { Run } from '../run.ts';
import { evolveAgent } from './evolve-agents.ts';
import { evolveChildEnded } from './evolve-children.ts';
import { effectIntended, effectRetried, effectSettled } from './evolve-effects.ts';
import { branched, onScope, parted } from './evolve-fork.ts';
import {
  evolveCriticStarted,
  evolveDispatched,
  evolveMergeSettled,
  evolveTransition,
  evolveVerified,
  evolveWorkerSettled,
} from './evolve-handoff.ts';
import { interruptRequested, interruptResolved, voteReceived } from './evolve-interrupts.ts';
import { decided, nodeCompleted, nodeFailed, nodeLeftOut, nodeRetried, nodeStarted } from './evolve-nodes.ts';
import { begin, completed, ended } from './evolve-run.ts';
import { cutChannel, type Owned, setVariable, writeChannel } from './evolve-values.ts';

/** The fold. `at` is the timestamp of the event in epoch milliseconds. For `own` see `Owned`. */
export function evolve(run: Run | undefined, event: RunEvent, at: number, own?: Owned): Run {
  if (run === undefined) {
    if (event.type === 'run.started') return begin(event, at);
    throw new Error(`a log must begin with run.started, not ${event.type}`);
  }
  if (event.sequence !== run.head) {
    throw new Error(`expected sequence ${run.head} of run ${run.runId}, found ${event.sequence}`);
  }
  const next = apply(run, event, at, own);
  // No other code refers to a new state yet, so it is changed in place. Copies are the main cost of the fold.
  const mine: { -readonly [K in keyof Run]: Run[K] } = next === run ? { ...run } : next;
  mine.head = event.sequence + 1;
  mine.at = at;
  if (mine.origin !== undefined && event.causationId === mine.origin.causationId) mine.originTold = true;
  return mine;
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
      return completed(run, event);
    case 'run.failed':
      return ended(run, { kind: 'ended', status: 'failed', error: event.payload.error });
    case 'run.cancelled':
      return ended(run, { kind: 'ended', status: 'cancelled' });
    case 'node.started':
      return nodeStarted(run, event, at);
    case 'node.completed':
      return nodeCompleted(run, event);
    case 'node.failed':
      return nodeFailed(run, event);
    case 'node.retried':
      return nodeRetried(run, event, at);
    case 'node.skipped':
    case 'node.cancelled':
      return nodeLeftOut(run, event);
    case 'baton.effect.intended':
      return effectIntended(run, event, at);
    case 'baton.effect.retried':
      return effectRetried(run, event, at);
    case 'baton.effect.settled':
      return effectSettled(run, event);
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
    default:
      return evolveAgent(run, event, at);
  }
}
