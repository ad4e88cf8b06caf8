import { BatonError, rootRunId } from '@baton/protocol';
import { type Notary, openNotary } from '../audit/notary.ts';
import type { SigningKey } from '../audit/signing-key.ts';
import type { Command, Engine, Notice, Reply } from '../commands.ts';
import type { Vault } from '../kernel/secrecy/vault.ts';
import type { Clock, Ids } from '../ports/clock.ts';
import type { Effects } from '../ports/effects.ts';
import { type Slice, StorageFullError, type Store } from '../ports/store.ts';
import type { TreeRef } from '../ports/trouble.ts';
import type { Loss, Work, WorkInHand } from '../ports/work-in-hand.ts';
import { alarmOf } from './alarm.ts';
import { systemClock, uuidIds } from './clock.ts';
import type { Conformance } from './conformance.ts';
import { effectsOf } from './effects-in-flight.ts';
import { fairQueue } from './fair-queue.ts';
import { dropInterruptedImports, importRefused } from './import-run.ts';
import type { Job, Outcome } from './job.ts';
import { jobRunnerOf } from './job-runner.ts';
import { DEFAULT_LIMITS, type HostLimits } from './limits.ts';
import { ownerOf, refused } from './replies.ts';
import { keepFor, type Retention } from './retention.ts';
import { openVault } from './secrecy/open-vault.ts';
import { heldTreesOf } from './trees/held-trees.ts';
import { UNFIT } from './trees/quarantine.ts';
import type { Share } from './work-context.ts';

/**
 * The driver. Jobs (a command, a deadline, an unfinished tree) queue up; each gives one slice; the slices
 * of a round are committed together, and only then is anyone told. What arrives meanwhile is the next round.
 */

export interface EngineOptions {
  readonly store: Store;
  readonly effects: Effects;
  readonly limits?: Partial<HostLimits>;
  readonly retention?: Retention;
  /** Without one there are no secrets, and what is sealed is not opened again. */
  readonly vault?: Vault;
  readonly alwaysRefold?: boolean;
  readonly clock?: Clock;
  readonly ids?: Ids;
  /**
   * Milliseconds since some moment, to see how long work takes; the machine's by default. Where it stands still, turns
   * are bounded by the number and size of events only.
   */
  readonly elapsed?: () => number;
  /** Signs how far runs have come; without one nothing is signed. */
  readonly auditKey?: SigningKey;
  /** What conformance suites need; without it there is nothing of it. */
  readonly conformance?: Conformance | undefined;
  /** Told which tree is worked on. */
  readonly inHand?: WorkInHand;
  /** How much a tree may do before others have a turn, in place of the usual share. */
  readonly share?: Share;
  /** The store can no longer be trusted; the process must stop, and recovery do the rest. */
  readonly onFatal: (error: unknown) => void;
  readonly onLog?: (level: 'warn' | 'error', message: string, fields: Record<string, unknown>) => void;
}

/** How much one round takes on before it is committed. */
const ROUND_SLICES = 256;
const ROUND_EVENTS = 4096;
const ROUND_MS = 6;
/** How long a tree waits after the store had no room for it. */
const FULL_RETRY_MS = 1000;
const REPLIES_KEPT_MS = 24 * 60 * 60 * 1000;
const PRUNE_EVERY_MS = 60 * 60 * 1000;
const DUE_AT_ONCE = 500;
/** Due trees that are queued at most; the others stay due, and are looked for again. */
const DUE_QUEUED = 50_000;
const LOOK_AGAIN_MS = 20;

interface Waiting {
  readonly job: Job;
  /** The tenant in whose turn it is taken. */
  readonly lane: string;
  readonly answer?: (reply: Reply) => void;
}

/** What became of the slices of a round. */
interface Stored {
  readonly full: boolean;
  /** Why slices were refused for their content. */
  readonly refusals: ReadonlyMap<Slice, string>;
  has(slice: Slice): boolean;
}

export async function startEngine(options: EngineOptions): Promise<Engine> {
  const { store } = options;
  const clock = options.clock ?? systemClock;
  const elapsed = options.elapsed ?? (() => performance.now());
  const log = options.onLog ?? (() => undefined);
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const held = heldTreesOf({ store, now: () => clock.now(), log });
  const runner = jobRunnerOf({
    store,
    clock,
    ids: options.ids ?? uuidIds,
    limits,
    vault: options.vault ?? openVault(),
    alwaysRefold: options.alwaysRefold ?? false,
    auditKey: options.auditKey,
    held,
    conformance: options.conformance,
    elapsed,
    ...(options.share && { share: options.share }),
    log,
  });
  const queue = fairQueue<Waiting>();
  const queuedTrees = new Set<string>();
  const listeners: ((notices: readonly Notice[]) => void)[] = [];
  const alarm = alarmOf(clock, () => void ringDue());
  const effects = effectsOf(options.effects, (outcome, { tenant }) => execute(outcome, tenant));
  let pumping: Promise<void> | undefined;
  let stopping = false;
  let prunedAt = 0;
  let notary: Notary | undefined;

  function execute(command: Command, lane = laneOf(command)): Promise<Reply> {
    if (stopping && command.kind !== 'effect-outcome') {
      return Promise.resolve(refused(new BatonError('shutting_down').body()));
    }
    return new Promise((answer) => {
      enqueue({ job: { kind: 'command', command }, lane, answer });
      pump();
    });
  }

  function enqueue(waiting: Waiting): void {
    const { job, lane } = waiting;
    if (job.kind === 'tree') queue.add(waiting, lane, 'tree');
    else if (job.kind === 'set-aside' || job.command.kind === 'cancel-run')
      queue.add(waiting, lane, 'urgent');
    else queue.add(waiting, lane, 'command');
  }

  /** A tree is queued once, however often it is woken. */
  function wake(rootId: string, lane: string): void {
    if (stopping || queuedTrees.has(rootId)) return;
    queuedTrees.add(rootId);
    enqueue({ job: { kind: 'tree', rootId }, lane });
    pump();
  }

  function pump(): void {
    pumping ??= rounds()
      .catch(options.onFatal)
      .finally(() => {
        pumping = undefined;
        if (queue.size > 0 || notary?.isDue()) pump();
      });
  }

  async function rounds(): Promise<void> {
    // Everything that came in the same message joins the first round.
    await Promise.resolve();
    while (queue.size > 0 || notary?.isDue()) {
      if (notary?.isDue()) await notary.write();
      if (queue.size > 0) await round();
      await nextTick();
    }
  }

  async function round(): Promise<void> {
    const done: { readonly waiting: Waiting; readonly outcome: Outcome }[] = [];
    const slices: Slice[] = [];
    const until = elapsed() + ROUND_MS;
    let events = 0;
    while (slices.length < ROUND_SLICES && events < ROUND_EVENTS) {
      const next = queue.next();
      if (next === undefined || (done.length > 0 && wantsAnotherRound(next))) break;
      const waiting = queue.take() ?? next;
      if (waiting.job.kind === 'tree') queuedTrees.delete(waiting.job.rootId);
      options.inHand?.take(workOf(waiting.job));
      const begun = elapsed();
      const outcome = await runner.work(waiting.job, queue.size === 0);
      const ended = elapsed();
      queue.charge(waiting.lane, ended - begun);
      done.push({ waiting, outcome });
      if (outcome.slice) {
        slices.push(outcome.slice);
        for (const run of outcome.slice.runs) events += run.events.length;
      }
      if (ended >= until) break;
    }
    options.inHand?.putDown();
    const stored = await commit(slices);
    runner.roundEnded(slices);
    const lost = slices.filter((slice) => !stored.has(slice));
    const kept = lost.length === 0 ? slices : slices.filter((slice) => stored.has(slice));
    if (kept.length > 0) notary?.witness();
    for (const entry of done) {
      const { slice } = entry.outcome;
      const stands = slice ? stored.has(slice) : !lost.some((one) => restsOn(entry.waiting.job, one));
      if (stands) finish(entry.waiting, entry.outcome);
      else if (slice === undefined) enqueue(entry.waiting);
      else if (isImport(entry.waiting)) entry.waiting.answer?.(refused(importRefused(stored.full).body()));
      else if (stored.full) refuseFull(entry.waiting, slice.rootId);
      else if (stored.refusals.has(slice)) refuseUnfit(entry.waiting, slice, stored.refusals.get(slice));
      else again(entry.waiting, slice.rootId);
    }
    tell(kept);
    await held.progressed(kept);
  }

  /** A job that may take long also waits for the next round: the jobs of others are stored and answered first. */
  function wantsAnotherRound({ job, lane }: Waiting): boolean {
    return wantsRoundOfItsOwn(job) || runner.mustWait(job) || queue.lastTook(lane) > ROUND_MS;
  }

  async function commit(slices: readonly Slice[]): Promise<Stored> {
    const refusals = new Map<Slice, string>();
    if (slices.length === 0) return { full: false, refusals, has: () => true };
    try {
      const results = await store.commit(slices);
      if (results.every((result) => result === 'committed'))
        return { full: false, refusals, has: () => true };
      const lost = new Set<Slice>();
      for (const [at, slice] of slices.entries()) {
        const result = results[at];
        if (result !== 'committed') lost.add(slice);
        if (typeof result === 'object') refusals.set(slice, result.refused);
      }
      return { full: false, refusals, has: (slice) => !lost.has(slice) };
    } catch (problem) {
      if (!(problem instanceof StorageFullError)) throw problem;
      log('error', 'the store is full; nothing was recorded', {});
      return { full: true, refusals, has: () => false };
    }
  }

  /** Someone else moved the tree: forget what was computed and do it again from what is stored. */
  function again(waiting: Waiting, rootId: string): void {
    runner.evict(rootId);
    enqueue(waiting);
  }

  /** Callers are told; what nobody waits for (a deadline, an effect's outcome) is tried again later. */
  function refuseFull(waiting: Waiting, rootId: string): void {
    runner.evict(rootId);
    const { job, answer } = waiting;
    if (job.kind !== 'command' || job.command.kind === 'effect-outcome') {
      // Counts as queued meanwhile: its deadline is still due, and must not queue it again and again.
      if (job.kind === 'tree') queuedTrees.add(job.rootId);
      clock.at(clock.now() + FULL_RETRY_MS, () => {
        if (stopping) return;
        enqueue(waiting);
        pump();
      });
    } else answer?.(refused(new BatonError('storage_full').body()));
  }

  /** The same slice would be refused again, so its caller is told, and the tree that made it is set aside. */
  function refuseUnfit({ job, lane, answer }: Waiting, slice: Slice, reason = ''): void {
    runner.evict(slice.rootId);
    log('error', 'the store refused a slice for its content', { rootId: slice.rootId, reason });
    answer?.(refused(UNFIT));
    // What only goes beside a tree (a reply to remember, a late outcome, a file) says nothing against the tree.
    if (job.kind === 'set-aside' || (job.kind === 'command' && slice.runs.length === 0)) return;
    enqueue({ job: { kind: 'set-aside', rootId: slice.rootId, reason }, lane });
  }

  function finish(waiting: Waiting, outcome: Outcome): void {
    if (outcome.reply) waiting.answer?.(outcome.reply);
    if (outcome.unfinished) wake(outcome.unfinished, waiting.lane);
    for (const effect of outcome.effects ?? []) effects.begin(effect);
  }

  function tell(slices: readonly Slice[]): void {
    const notices: Notice[] = [];
    for (const slice of slices) {
      for (const run of slice.runs) {
        const lastSequence = run.expectedHead + run.events.length - 1;
        notices.push({ runId: run.runId, lastSequence, status: run.status });
      }
      if (slice.wake?.at != null) alarm.by(slice.wake.at);
    }
    if (notices.length > 0) for (const listener of listeners) listener(notices);
    void prune();
  }

  async function ringDue(): Promise<void> {
    try {
      const now = clock.now();
      let page = await store.due(now, DUE_AT_ONCE);
      await wakeAll(page.items);
      // All of them, so that the trees of one tenant do not hide those of another; commands go on in between.
      while (page.next !== undefined && !stopping && queuedTrees.size < DUE_QUEUED) {
        await nextTick();
        page = await store.due(now, DUE_AT_ONCE, page.next);
        await wakeAll(page.items);
      }
      const next = await store.nextWake();
      // Trees that are due now are queued, and say themselves when they are due again; look once more later.
      if (next !== undefined) alarm.by(Math.max(next, now + LOOK_AGAIN_MS));
    } catch (problem) {
      options.onFatal(problem);
    }
  }

  async function wakeAll(trees: readonly TreeRef[]): Promise<void> {
    for (const { rootId, tenant } of await held.admit(trees)) wake(rootId, tenant);
  }

  async function recover(losses: readonly Loss[] = []): Promise<void> {
    await held.recall(losses);
    await wakeAll(await store.unfinished());
    await ringDue();
  }

  async function prune(): Promise<void> {
    const now = clock.now();
    if (now - prunedAt < PRUNE_EVERY_MS) return;
    prunedAt = now;
    await store.pruneReplies(now - REPLIES_KEPT_MS).catch((problem) => {
      if (!(problem instanceof StorageFullError)) options.onFatal(problem);
    });
  }

  if (options.auditKey) notary = await openNotary({ store, key: options.auditKey, clock, ring: pump });
  void dropInterruptedImports(store).catch(options.onFatal);
  const { retention = {}, onFatal } = options;
  const stopRemoving = keepFor({ store, clock, retention, log, onFatal });

  return {
    execute: (command) => execute(command),
    recover,
    onNotices: (listener) => void listeners.push(listener),
    async stop() {
      stopping = true;
      alarm.stop();
      stopRemoving();
      // Trees that are not done yet are marked unfinished in the store; the next start goes on with them.
      queue.keepOnly(({ answer }) => answer !== undefined);
      queuedTrees.clear();
      while (pumping) await pumping;
      notary?.stop();
      await notary?.write();
    },
  };
}

function laneOf(command: Command): string {
  return 'caller' in command ? command.caller.tenant : '';
}

function workOf(job: Job): Work {
  if (job.kind !== 'command') return { rootId: job.rootId, length: 'step' };
  const { command } = job;
  switch (command.kind) {
    case 'erase-run':
    case 'register-workflow':
      return { length: 'long' };
    case 'create-run':
    case 'fork-run':
    case 'retry-run':
    case 'put-file':
    case 'delete-file':
    case 'release-run':
    case 'import-part':
    case 'abandon-import':
    case 'toggle-capability':
      return { length: 'step' };
    default:
      return { rootId: rootRunId(command.runId), length: 'step' };
  }
}

/** Whether an answer without facts of its own may come from what this slice would have stored. */
function restsOn(job: Job, slice: Slice): boolean {
  if (job.kind !== 'command') return job.rootId === slice.rootId;
  const { command } = job;
  if ('runId' in command && rootRunId(command.runId) === slice.rootId) return true;
  return (
    'idempotency' in command &&
    command.idempotency !== undefined &&
    slice.idempotency !== undefined &&
    command.idempotency.key === slice.idempotency.key &&
    command.caller.tenant === slice.idempotency.tenant &&
    ownerOf(command.caller, command.idempotency) === slice.idempotency.principal
  );
}

/** What does not fit when it comes from elsewhere will never fit. */
function isImport({ job }: Waiting): boolean {
  return job.kind === 'command' && job.command.kind === 'import-part';
}

/** What is looked up in the store, and acted on there, must not miss what this round is about to store. */
function wantsRoundOfItsOwn(job: Job): boolean {
  return job.kind === 'command' && job.command.kind === 'erase-run';
}

function nextTick(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
