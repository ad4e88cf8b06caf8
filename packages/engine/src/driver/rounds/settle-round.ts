import { BatonError } from '@baton/protocol';
import type { Clock } from '../../ports/clock.ts';
import type { Slice } from '../../ports/store.ts';
import { refused } from '../replies.ts';
import { UNFIT } from '../trees/quarantine.ts';
import { computedTree, type Outcome, type QueuedJob } from './job.ts';
import type { JobQueue } from './job-queue.ts';
import type { FinishedJob } from './jobs-under-way.ts';
import type { SliceFate } from './store-round.ts';

/** What happens to a job once its slice was stored or refused. */
interface SettleOptions {
  readonly clock: Clock;
  /** Between 0 and 1. */
  readonly random: () => number;
  /** The slice is durable, or there was none. */
  readonly finish: (queued: QueuedJob, outcome: Outcome) => void;
  readonly queue: Pick<JobQueue, 'add' | 'addLater'>;
  /** Makes this host the keeper of a tree, and wakes the tree. */
  readonly take: (rootId: string, lane: string) => Promise<void>;
  /** The slice was not stored, but its tree is as it was computed from. */
  readonly left: (outcome: Outcome) => void;
  /** The slice was not stored. */
  readonly forget: (slice: Slice) => void;
  readonly log: (level: 'warn' | 'error', message: string, fields: Record<string, unknown>) => void;
}

/** How long a tree waits after the store had no room for it, or could not be reached. */
const RETRY_MS = 1000;
/** So many conflicts in a row are computed again at once. */
const PROMPT_TRIES = 8;
const LONGEST_BACK_OFF_MS = 64;
/** After so many conflicts of a command, another host may be computing the tree all the time. */
const TRIES_BEFORE_TAKING = 2;

export function settlerOf(options: SettleOptions): (finished: FinishedJob, fate: SliceFate) => void {
  const { clock, random, finish, take, left, queue, forget, log } = options;

  /**
   * The tree or its memory has moved: the job is computed again from the stored state. A job that conflicts
   * again and again waits a random time, so that two hosts do not refuse each other for long.
   */
  function again({ holdsTree: _, ...queued }: QueuedJob): void {
    const conflicts = (queued.conflicts ?? 0) + 1;
    const next = { ...queued, conflicts };
    const longest = Math.min(2 ** (conflicts - PROMPT_TRIES), LONGEST_BACK_OFF_MS);
    const add = () =>
      conflicts <= PROMPT_TRIES
        ? queue.add(next)
        : queue.addLater(next, clock.now() + Math.ceil(random() * longest));
    const rootId = queued.job.kind === 'command' ? computedTree(queued.job) : undefined;
    if (rootId === undefined || conflicts < TRIES_BEFORE_TAKING) add();
    else void take(rootId, queued.lane).finally(add);
  }

  /** Another host goes on with the tree. This host still performs the effects of the tree that it owns. */
  function leave(slice: Slice, outcome: Outcome): void {
    if (slice.runs.length === 0) left(outcome);
  }

  /** Callers are told. A deadline or the outcome of an effect is tried again later. */
  function refuse(code: 'storage_full' | 'store_unavailable', { holdsTree: _, ...queued }: QueuedJob): void {
    const { job, answer } = queued;
    const isAsked = job.kind === 'command' && job.command.kind !== 'effect-outcome';
    if (isAsked) answer?.(refused(new BatonError(code).body()));
    else queue.addLater(queued, clock.now() + RETRY_MS);
  }

  /** The same slice would be refused again, so its caller is told, and the tree that made it is set aside. */
  function refuseUnfit({ job, lane, answer }: QueuedJob, slice: Slice, reason: string): void {
    log('error', 'the store refused a slice for its content', { rootId: slice.rootId, reason });
    answer?.(refused(UNFIT));
    // A slice without runs (a reply to remember, a late outcome, a file) says nothing against a tree.
    if (job.kind === 'set-aside' || (job.kind === 'command' && slice.runs.length === 0)) return;
    queue.add({ job: { kind: 'set-aside', rootId: slice.rootId, reason }, lane });
  }

  return ({ queued, outcome }, fate) => {
    const { slice } = outcome;
    if (outcome.isUnavailable) {
      refuse('store_unavailable', queued);
      return;
    }
    if (slice === undefined || fate === 'committed') {
      finish(queued, outcome);
      return;
    }
    forget(slice);
    if (fate === 'full') refuse('storage_full', queued);
    else if (fate === 'unavailable') refuse('store_unavailable', queued);
    else if (fate === 'taken') leave(slice, outcome);
    else if (fate === 'conflict') again(queued);
    else refuseUnfit(queued, slice, fate.refused);
  };
}
