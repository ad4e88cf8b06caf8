import { BatonError } from '@baton/protocol';
import { type Notary, openNotary } from '../audit/notary.ts';
import type { SigningKey } from '../audit/signing-key.ts';
import type { Command, Engine, Notice, Reply } from '../commands.ts';
import type { Vault } from '../kernel/secrecy/vault.ts';
import type { Clock, Ids } from '../ports/clock.ts';
import type { Effects } from '../ports/effects.ts';
import type { Scheduler } from '../ports/scheduler.ts';
import { mayPass, type Slice, type Store } from '../ports/store.ts';
import type { WorkInHand } from '../ports/work-in-hand.ts';
import type { EndedSpan } from '../spans/span.ts';
import { systemClock, uuidIds } from './clock.ts';
import type { Intending } from './effects/effect-changes.ts';
import type { Ownership } from './effects/effect-owners.ts';
import type { EffectsUnderWay } from './effects/effects-under-way.ts';
import { type OtherScheduler, scheduledEffects } from './effects/scheduled-effects.ts';
import type { EngineExtension } from './extension.ts';
import { DEFAULT_LIMITS, type HostLimits } from './limits.ts';
import { refused } from './replies.ts';
import { type Retention, removeExpired } from './retention.ts';
import { laneOf, type Outcome, type QueuedJob } from './rounds/job.ts';
import { metersOf } from './rounds/job-meter.ts';
import { jobQueue } from './rounds/job-queue.ts';
import { type JobRunner, jobRunnerOf } from './rounds/job-runner.ts';
import { jobsUnderWay } from './rounds/jobs-under-way.ts';
import { roundsOf } from './rounds/rounds.ts';
import { settlerOf } from './rounds/settle-round.ts';
import { roundStorer } from './rounds/store-round.ts';
import type { Share } from './rounds/work-context.ts';
import { sharingHosts } from './schedule/sharing-hosts.ts';
import { untilReached } from './schedule/until-reached.ts';
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
  readonly scheduler?: OtherScheduler;
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
  /** What is added to the product; see `extension.ts`. */
  readonly extension?: EngineExtension | undefined;
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
  /** Another host is no longer at work: this host goes on with its trees and effects. */
  adopt(): Promise<void>;
  /** Before a stop: begins no further effect, and resolves when those under way are over. */
  drain(): Promise<void>;
}

export async function startEngine(options: EngineOptions): Promise<LocalEngine> {
  const { store, onFatal, retention = {}, random = Math.random } = options;
  const clock = options.clock ?? systemClock;
  const log = options.onLog ?? (() => undefined);
  const held = heldTreesOf({ store, now: () => clock.now(), log });
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const ownership = options.ownership ?? soleOwner();
  const meters = metersOf(options.elapsed ?? (() => performance.now()), options.inHand);
  let notary: Notary | undefined;
  let stopping = false;
  const pump = () => rounds.pump();
  const queue = jobQueue({ clock, pump });
  const notices = noticeBoard();
  const { scheduler, effects, sweep } = scheduledEffects({
    ...{ store, clock, held, queue, ownership, onFatal, port: options.effects },
    otherScheduler: options.scheduler,
    atOnce: limits.effectsAtOnce,
    report: (command, { tenant }) => execute(command, tenant),
  });
  const runner = runnerOf(options, { clock, held, log, limits, ...intendingOf(ownership, scheduler) });
  const prune = replyPruner(store, clock, onFatal);
  const { wake, fair, taken } = queue;
  const sharing = sharingHosts({ store, wake, effects, tell: notices.tellOf, onFatal });
  const { take, unlessPassing } = sharing;
  const jobs = jobsUnderWay({ queue: fair, meters, work: runner.work, taken, done: pump, onFatal });
  const left = (outcome: Outcome) => tellEffects(outcome, effects);
  const settle = settlerOf({ clock, random, queue, finish, take, left, log, forget: runner.refused });
  const rounds = roundsOf({
    ...{ jobs, onFatal, queued: () => fair.size },
    store: roundStorer({ store, jobs, settle, stored, log }),
    between: { isDue: () => notary?.isDue() === true, write: async () => notary?.write() },
  });

  async function execute(command: Command, lane = laneOf(command)): Promise<Reply> {
    if (stopping) return refused(new BatonError('shutting_down').body());
    return new Promise((answer) => queue.add({ job: { kind: 'command', command }, lane, answer }));
  }

  function finish({ answer, lane }: QueuedJob, outcome: Outcome): void {
    if (outcome.reply) answer?.(outcome.reply);
    if (outcome.unfinished) wake(outcome.unfinished, lane);
    tellEffects(outcome, effects, options.onSpans);
  }

  async function stored(slices: readonly Slice[]): Promise<void> {
    runner.stored();
    if (slices.length > 0) notary?.witness();
    for (const { rootId, wake: next } of slices) if (next) scheduler.wake(rootId, next.at);
    notices.tell(slices);
    prune();
    await held.progressed(slices).catch(unlessPassing);
  }

  notary = await notaryOf(options.auditKey, { store, clock, ring: pump });
  const stopRemoving = removeExpired({ store, clock, retention, log, onFatal });

  return {
    execute: (command) => execute(command),
    ...takingUp({ clock, scheduler, effects, sweep, wake, unlessPassing, onFatal }),
    drain: effects.drain,
    onNotices: notices.onNotices,
    idle: rounds.idle,
    async stop() {
      stopping = true;
      scheduler.stop();
      effects.stop();
      stopRemoving();
      sharing.stop();
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

async function notaryOf(
  key: SigningKey | undefined,
  parts: Omit<Parameters<typeof openNotary>[0], 'key'>,
): Promise<Notary | undefined> {
  return key && untilReached(parts.clock, () => openNotary({ ...parts, key }));
}

interface TakingUpParts {
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly effects: EffectsUnderWay;
  readonly sweep: () => Promise<void>;
  readonly wake: (rootId: string, lane: string) => void;
  readonly unlessPassing: (problem: unknown) => void;
  readonly onFatal: (error: unknown) => void;
}

/** Goes on with the work of a process that has ended: of this host after a start, or of another host. */
function takingUp(parts: TakingUpParts): Pick<LocalEngine, 'recover' | 'adopt'> {
  const { clock, scheduler, effects, sweep, wake, unlessPassing, onFatal } = parts;
  return {
    async recover(losses = []) {
      effects.ownersLost();
      await untilReached(clock, () => scheduler.recover(losses)).catch(onFatal);
    },
    async adopt() {
      for (const { rootId, tenant } of effects.ownersLost()) wake(rootId, tenant);
      await scheduler.adopt().catch(unlessPassing);
      await sweep().catch(unlessPassing);
    },
  };
}

function intendingOf({ owner }: Ownership, { handsOut }: Scheduler): Intending {
  return { owner, isOffered: handsOut?.isOffered };
}

function tellEffects(
  { effects: awaited, hasten, spans = [] }: Outcome,
  effects: EffectsUnderWay,
  onSpans?: EngineOptions['onSpans'],
): void {
  if (awaited) effects.follow(awaited);
  if (hasten !== undefined) effects.hasten(hasten);
  if (spans.length > 0) onSpans?.(spans);
}

function runnerOf(
  options: EngineOptions,
  parts: Pick<Parameters<typeof jobRunnerOf>[0], 'clock' | 'held' | 'log' | 'limits' | keyof Intending>,
): JobRunner {
  return jobRunnerOf({
    ...parts,
    store: options.store,
    ids: options.ids ?? uuidIds,
    vault: options.vault ?? openVault(),
    alwaysRefold: options.alwaysRefold ?? false,
    traced: options.onSpans !== undefined,
    auditKey: options.auditKey,
    extension: options.extension,
    ...(options.share && { share: options.share }),
  });
}

/** The only host on its store. Its name is new with each start, because effects do not survive a restart. */
function soleOwner(): Ownership {
  return { owner: uuidIds.rootRunId(Date.now()), alive: () => [] };
}

function noticeBoard() {
  const listeners: ((notices: readonly Notice[]) => void)[] = [];
  function tellOf(notices: readonly Notice[]): void {
    if (notices.length > 0) for (const listener of listeners) listener(notices);
  }
  return {
    onNotices: (listener: (notices: readonly Notice[]) => void) => void listeners.push(listener),
    tell(slices: readonly Slice[]): void {
      tellOf(slices.flatMap(noticesOf));
    },
    tellOf,
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
      if (!mayPass(problem)) onFatal(problem);
    });
  };
}
