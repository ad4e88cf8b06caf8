import { rootRunId } from '@baton/protocol';
import type { Command, Reply } from '../../commands.ts';
import type { Slice } from '../../ports/store.ts';
import type { Work } from '../../ports/work-in-hand.ts';
import type { EndedSpan } from '../../spans/span.ts';
import type { AwaitedEffects } from '../effects/tree-effects.ts';

export type Job =
  | { readonly kind: 'command'; readonly command: Command }
  | { readonly kind: 'tree'; readonly rootId: string }
  /** Somebody wants to perform effects of the tree. Nothing is computed. */
  | { readonly kind: 'look'; readonly rootId: string }
  /** The store can never keep the events that this tree wants to record. */
  | { readonly kind: 'set-aside'; readonly rootId: string; readonly reason: string };

/** A job with its place in the queue. */
export interface QueuedJob {
  readonly job: Job;
  /** The tenant whose share of time the job uses. */
  readonly lane: string;
  readonly answer?: (reply: Reply) => void;
  /** How often the store refused the slice of the job because its tree had moved. */
  readonly conflicts?: number;
  /** The tree of the job is already busy for this job. */
  readonly holdsTree?: boolean;
}

export interface Outcome {
  /** To be given once the slice is durable. */
  readonly reply?: Reply;
  readonly slice?: Slice;
  /** The tree has more to do and waits for its next turn. */
  readonly unfinished?: string;
  readonly effects?: AwaitedEffects;
  /** The store could not be reached, so nothing was computed. */
  readonly isUnavailable?: true;
  /** The run whose effects are tried again now. */
  readonly hasten?: string;
  /** The spans that end with the slice, if anybody wants them. */
  readonly spans?: readonly EndedSpan[];
}

/** The tree that the job computes. `undefined` for a new tree and for work without a tree. */
export function computedTree(job: Job): string | undefined {
  if (job.kind !== 'command') return job.rootId;
  const { command } = job;
  if (command.kind === 'fork-run' || command.kind === 'retry-run') return undefined;
  return 'runId' in command ? rootRunId(command.runId) : undefined;
}

/**
 * The tree that must not be computed by another job meanwhile. A fork computes a new tree, but reads its
 * source, which must not be erased before the fork is stored.
 */
export function reservedTree(job: Job): string | undefined {
  if (job.kind !== 'command') return job.rootId;
  return 'runId' in job.command ? rootRunId(job.command.runId) : undefined;
}

/** The work of the job, as the watchdog is told. */
export function workOf(job: Job): Work {
  if (job.kind !== 'command') return { rootId: job.rootId, length: 'step' };
  const { command } = job;
  switch (command.kind) {
    case 'erase-run':
    case 'register-workflow':
    case 'check-workflow':
    case 'register-agent':
      return { length: 'long' };
    case 'create-run':
    case 'fork-run':
    case 'retry-run':
    case 'put-file':
    case 'delete-file':
    case 'put-secret':
    case 'delete-secret':
    case 'rewrap-secrets':
    case 'write-webhooks':
    case 'write-task-pushes':
    case 'settle-remote-cancel':
    case 'release-run':
    case 'extension':
    case 'hasten-effects':
      return { length: 'step' };
    default:
      return { rootId: rootRunId(command.runId), length: 'step' };
  }
}

export function laneOf(command: Command): string {
  return 'caller' in command ? command.caller.tenant : '';
}
