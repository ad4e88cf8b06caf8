import { BatonError } from '@baton/protocol';
import { type Notary, openNotary } from '../audit/notary.ts';
import type { SigningKey } from '../audit/signing-key.ts';
import type { Command, Engine, Notice, Reply } from '../commands.ts';
import type { Vault } from '../kernel/secrecy/vault.ts';
import type { Clock, Ids } from '../ports/clock.ts';
import type { Effects } from '../ports/effects.ts';
import type { Scheduler, SchedulerCalls } from '../ports/scheduler.ts';
import { type Slice, StorageFullError, type Store } from '../ports/store.ts';
import type { WorkInHand } from '../ports/work-in-hand.ts';
import type { EndedSpan } from '../spans/span.ts';
import { systemClock, uuidIds } from './clock.ts';
import type { Conformance } from './conformance.ts';
import type { Ownership } from './effects/effect-owners.ts';
import { scheduledEffects } from './effects/scheduled-effects.ts';
import { dropInterruptedImports } from './import-run.ts';
import { DEFAULT_LIMITS, type HostLimits } from './limits.ts';
import { refused } from './replies.ts';
import { keepFor, type Retention } from './retention.ts';
import { laneOf, type Outcome, type QueuedJob } from './rounds/job.ts';
import { metersOf } from './rounds/job-meter.ts';
import { jobQueue } from './rounds/job-queue.ts';
import { jobRounds } from './rounds/job-rounds.ts';
import { type JobRunner, jobRunnerOf } from './rounds/job-runner.ts';
import type { Share } from './rounds/work-context.ts';
import { openVault } from './secrecy/open-vault.ts';
import { heldTreesOf } from './trees/held-trees.ts';

/**
 * The driver. Jobs (a command, a deadline, an unfinished tree) queue up. Each gives one slice. The slices of a
 * round are committed together, and only then are callers answered and listeners told.
 */

export interface EngineOptions {
  readonly store: Store;
  readonly effects: Effects;
  /** Makes the scheduler of this host; by default one in this process. */
  readonly scheduler?: (calls: SchedulerCalls) => Scheduler;
  /** The name under which this host performs effects, where several hosts share a store. */
  readonly ownership?: Ownership;
  readonly limits?: Partial<HostLimits>;
  readonly retention?: Retention;
  /** Without one there are no secrets, and sealed values are not opened again. */
  readonly vault?: Vault;
  readonly alwaysRefold?: boolean;
  readonly clock?: Clock;
  readonly ids?: Ids;
  /**
   * Milliseconds since some moment, to measure how long work takes; the machine's by default. Where it stands
   * still, turns are bounded by the number and size of events only.
   */
  readonly elapsed?: () => number;
  /** Between 0 and 1; the machine's by default. */
  readonly random?: () => number;
  /** Signs how far runs have come; without one nothing is signed. */
  readonly auditKey?: SigningKey;
  /** The parts that conformance suites need; absent in a product. */
  readonly conformance?: Conformance | undefined;
  /** Told which tree is worked on. */
  readonly inHand?: WorkInHand;
  /** How much a tree may do before others have a turn, in place of the usual share. */
  readonly share?: Share;
  /** The store can no longer be trusted; the process must stop, and recovery do the rest. */
  readonly onFatal: (error: unknown) => void;
  /** Told the spans that have ended, once the events that end them are stored. Without it, none are made. */
  readonly onSpans?: (spans: readonly EndedSpan[]) => void;
  readonly onLog?: (level: 'warn' | 'error', message: string, fields: Record<string, unknown>) => void;
}

/** An engine in this thread. */
export interface LocalEngine extends Engine {
  /** Resolves when there is nothing to do, except effects under way and deadlines. */
  idle(): Promise<void>;
}

export async function startEngine(options: EngineOptions): Promise<LocalEngine> {
  const { store, onFatal, retention = {}, random = Math.random } = options;
  const clock = options.clock ?? systemClock;
  const log = options.onLog ?? (() => undefined);
  const held = heldTreesOf({ store, now: () => clock.now(), log });
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const ownership = options.ownership ?? soleOwner();
  const runner = runnerOf(options, { clock, held, log, limits, owner: ownership.owner });
  const meters = metersOf(options.elapsed ?? (() => performance.now()), options.inHand);
  const queue = jobQueue({ clock, pump });
  const notices = noticeBoard();
  const { scheduler, effects } = scheduledEffects({
    ...{ store, clock, held, queue, ownership, onFatal, port: options.effects },
    otherScheduler: options.scheduler,
    atOnce: limits.effectsAtOnce,
    report: (command, { tenant }) => execute(command, tenant),
  });
  const prune = replyPruner(store, clock, onFatal);
  let notary: Notary | undefined;
  let stopping = false;

  const { wake } = queue;
  const { jobs, rounds } = jobRounds({
    ...{ store, clock, random, queue, meters, runner, finish, stored, log, onFatal, pump },
    between: { isDue: () => notary?.isDue() === true, write: async () => notary?.write() },
  });

  function pump(): void {
    rounds.pump();
  }

  async function execute(command: Command, lane = laneOf(command)): Promise<Reply> {
    if (stopping) return refused(new BatonError('shutting_down').body());
    return new Promise((answer) => queue.add({ job: { kind: 'command', command }, lane, answer }));
  }

  function finish({ answer, lane }: QueuedJob, outcome: Outcome): void {
    const { reply, unfinished, effects: awaited, hasten, spans } = outcome;
    if (reply) answer?.(reply);
    if (unfinished) wake(unfinished, lane);
    if (awaited) effects.follow(awaited);
    if (hasten !== undefined) effects.hasten(hasten);
    if (spans && spans.length > 0) options.onSpans?.(spans);
  }

  async function stored(slices: readonly Slice[]): Promise<void> {
    runner.stored();
    if (slices.length > 0) notary?.witness();
    for (const { rootId, wake: next } of slices) if (next?.at != null) scheduler.wake(rootId, next.at);
    notices.tell(slices);
    prune();
    await held.progressed(slices);
  }

  if (options.auditKey) notary = await openNotary({ store, key: options.auditKey, clock, ring: pump });
  void dropInterruptedImports(store).catch(onFatal);
  const stopRemoving = keepFor({ store, clock, retention, log, onFatal });

  return {
    execute: (command) => execute(command),
    recover(losses = []) {
      effects.ownersLost();
      return scheduler.recover(losses).catch(onFatal);
    },
    onNotices: notices.onNotices,
    idle: rounds.idle,
    async stop() {
      stopping = true;
      scheduler.stop();
      effects.stop();
      stopRemoving();
      // The next start goes on with trees that are not done yet.
      queue.stop();
      jobs.dropUnanswered();
      await rounds.idle();
      runner.stop();
      notary?.stop();
      await notary?.write();
    },
  };
}

function runnerOf(
  options: EngineOptions,
  parts: Pick<Parameters<typeof jobRunnerOf>[0], 'clock' | 'held' | 'log' | 'limits' | 'owner'>,
): JobRunner {
  return jobRunnerOf({
    ...parts,
    store: options.store,
    ids: options.ids ?? uuidIds,
    vault: options.vault ?? openVault(),
    alwaysRefold: options.alwaysRefold ?? false,
    traced: options.onSpans !== undefined,
    auditKey: options.auditKey,
    conformance: options.conformance,
    ...(options.share && { share: options.share }),
  });
}

/** The only host on its store. Its name is new with each start, because effects do not survive a restart. */
function soleOwner(): Ownership {
  return { owner: uuidIds.rootRunId(Date.now()), alive: () => [] };
}

function noticeBoard() {
  const listeners: ((notices: readonly Notice[]) => void)[] = [];
  return {
    onNotices: (listener: (notices: readonly Notice[]) => void) => void listeners.push(listener),
    tell(slices: readonly Slice[]): void {
      const notices = slices.flatMap(noticesOf);
      if (notices.length > 0) for (const listener of listeners) listener(notices);
    },
  };
}

function noticesOf({ runs }: Slice): readonly Notice[] {
  return runs.map(({ runId, expectedHead, events, status }) => ({
    runId,
    lastSequence: expectedHead + events.length - 1,
    status,
  }));
}

const REPLIES_KEPT_MS = 24 * 60 * 60 * 1000;
const PRUNE_EVERY_MS = 60 * 60 * 1000;

/** Forgets remembered replies that are a day old, at most once an hour. */
function replyPruner(store: Store, clock: Clock, onFatal: (error: unknown) => void): () => void {
  let prunedAt = 0;
  return () => {
    const now = clock.now();
    if (now - prunedAt < PRUNE_EVERY_MS) return;
    prunedAt = now;
    store.pruneReplies(now - REPLIES_KEPT_MS).catch((problem) => {
      if (!(problem instanceof StorageFullError)) onFatal(problem);
    });
  };
}
