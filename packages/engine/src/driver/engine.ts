import { BatonError, rootRunId } from '@baton/protocol';
import { type Notary, openNotary } from '../audit/notary.ts';
import type { SigningKey } from '../audit/signing-key.ts';
import type { Command, Engine, Notice, Reply } from '../commands.ts';
import type { Vault } from '../kernel/secrecy/vault.ts';
import type { Clock, Ids } from '../ports/clock.ts';
import type { Effects } from '../ports/effects.ts';
import { type Slice, StorageFullError, type Store } from '../ports/store.ts';
import { alarmOf } from './alarm.ts';
import { systemClock, uuidIds } from './clock.ts';
import { effectsOf } from './effects-in-flight.ts';
import { dropInterruptedImports, importRefused } from './import-run.ts';
import { DEFAULT_LIMITS, type HostLimits } from './limits.ts';
import { refused } from './replies.ts';
import { keepFor, type Retention } from './retention.ts';
import { openVault } from './secrecy/open-vault.ts';
import { type Job, type Outcome, workshopOf } from './workshop.ts';

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
  readonly alwaysReplay?: boolean;
  readonly clock?: Clock;
  readonly ids?: Ids;
  /** Signs how far runs have come; without one nothing is signed. */
  readonly auditKey?: SigningKey;
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
const LOOK_AGAIN_MS = 20;

interface Waiting {
  readonly job: Job;
  readonly answer?: (reply: Reply) => void;
}

export async function startEngine(options: EngineOptions): Promise<Engine> {
  const { store } = options;
  const clock = options.clock ?? systemClock;
  const log = options.onLog ?? (() => undefined);
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const workshop = workshopOf({
    store,
    clock,
    ids: options.ids ?? uuidIds,
    limits,
    vault: options.vault ?? openVault(),
    alwaysReplay: options.alwaysReplay ?? false,
    auditKey: options.auditKey,
    log,
  });
  const queue: Waiting[] = [];
  const queuedTrees = new Set<string>();
  const listeners: ((notices: readonly Notice[]) => void)[] = [];
  const alarm = alarmOf(clock, () => void ringDue());
  const effects = effectsOf(options.effects, execute);
  let pumping: Promise<void> | undefined;
  let stopping = false;
  let prunedAt = 0;
  let notary: Notary | undefined;

  function execute(command: Command): Promise<Reply> {
    if (stopping && command.kind !== 'effect-outcome') {
      return Promise.resolve(refused(new BatonError('shutting_down').body()));
    }
    return new Promise((answer) => {
      const waiting: Waiting = { job: { kind: 'command', command }, answer };
      if (command.kind === 'cancel-run') queue.unshift(waiting);
      else queue.push(waiting);
      pump();
    });
  }

  /** A tree is queued once, however often it is woken. */
  function wake(rootId: string): void {
    if (stopping || queuedTrees.has(rootId)) return;
    queuedTrees.add(rootId);
    queue.push({ job: { kind: 'tree', rootId } });
    pump();
  }

  function pump(): void {
    pumping ??= rounds()
      .catch(options.onFatal)
      .finally(() => {
        pumping = undefined;
        if (queue.length > 0 || notary?.isDue()) pump();
      });
  }

  async function rounds(): Promise<void> {
    // Everything that came in the same message joins the first round.
    await Promise.resolve();
    while (queue.length > 0 || notary?.isDue()) {
      if (notary?.isDue()) await notary.write();
      if (queue.length > 0) await round();
      await nextTick();
    }
  }

  async function round(): Promise<void> {
    const done: { readonly waiting: Waiting; readonly outcome: Outcome }[] = [];
    const slices: Slice[] = [];
    const until = performance.now() + ROUND_MS;
    let events = 0;
    while (queue.length > 0 && slices.length < ROUND_SLICES && events < ROUND_EVENTS) {
      if (done.length > 0 && queue[0] && wantsRoundOfItsOwn(queue[0].job)) break;
      const waiting = queue.shift() as Waiting;
      if (waiting.job.kind === 'tree') queuedTrees.delete(waiting.job.rootId);
      const outcome = await workshop.work(waiting.job, queue.length === 0);
      done.push({ waiting, outcome });
      if (outcome.slice) {
        slices.push(outcome.slice);
        for (const run of outcome.slice.runs) events += run.events.length;
      }
      if (performance.now() >= until) break;
    }
    const stored = await commit(slices);
    workshop.roundEnded(slices);
    const lost = slices.filter((slice) => !stored.has(slice));
    const kept = lost.length === 0 ? slices : slices.filter((slice) => stored.has(slice));
    notary?.witness(kept);
    for (const entry of done) {
      const { slice } = entry.outcome;
      const stands = slice ? stored.has(slice) : !lost.some((one) => restsOn(entry.waiting.job, one));
      if (stands) finish(entry.waiting, entry.outcome);
      else if (slice === undefined) queue.push(entry.waiting);
      else if (isImport(entry.waiting)) entry.waiting.answer?.(refused(importRefused(stored.full).body()));
      else if (stored.full) refuseFull(entry.waiting, slice.rootId);
      else again(entry.waiting, slice.rootId);
    }
    tell(kept);
  }

  async function commit(slices: readonly Slice[]): Promise<{ full: boolean; has(slice: Slice): boolean }> {
    if (slices.length === 0) return { full: false, has: () => true };
    try {
      const results = await store.commit(slices);
      if (!results.includes('conflict')) return { full: false, has: () => true };
      const refusedSlices = new Set(slices.filter((_, at) => results[at] === 'conflict'));
      return { full: false, has: (slice) => !refusedSlices.has(slice) };
    } catch (problem) {
      if (!(problem instanceof StorageFullError)) throw problem;
      log('error', 'the store is full; nothing was recorded', {});
      return { full: true, has: () => false };
    }
  }

  /** Someone else moved the tree: forget what was computed and do it again from what is stored. */
  function again(waiting: Waiting, rootId: string): void {
    workshop.evict(rootId);
    queue.push(waiting);
  }

  /** Callers are told; what nobody waits for (a deadline, an effect's outcome) is tried again later. */
  function refuseFull(waiting: Waiting, rootId: string): void {
    workshop.evict(rootId);
    const { job, answer } = waiting;
    if (job.kind === 'tree' || job.command.kind === 'effect-outcome') {
      // Counts as queued meanwhile: its deadline is still due, and must not queue it again and again.
      if (job.kind === 'tree') queuedTrees.add(job.rootId);
      clock.at(clock.now() + FULL_RETRY_MS, () => {
        if (stopping) return;
        queue.push(waiting);
        pump();
      });
    } else answer?.(refused(new BatonError('storage_full').body()));
  }

  function finish(waiting: Waiting, outcome: Outcome): void {
    if (outcome.reply) waiting.answer?.(outcome.reply);
    if (outcome.unfinished) wake(outcome.unfinished);
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
      const due = await store.due(now, DUE_AT_ONCE);
      for (const rootId of due) wake(rootId);
      const next = await store.nextWake();
      // Trees that are due now are queued, and say themselves when they are due again; look once more later.
      if (next !== undefined) alarm.by(Math.max(next, now + LOOK_AGAIN_MS));
    } catch (problem) {
      options.onFatal(problem);
    }
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
  for (const rootId of await store.unfinished()) wake(rootId);
  void dropInterruptedImports(store).catch(options.onFatal);
  const { retention = {}, onFatal } = options;
  const stopRemoving = keepFor({ store, clock, retention, log, onFatal });
  await ringDue();

  return {
    execute,
    onNotices: (listener) => void listeners.push(listener),
    async stop() {
      stopping = true;
      alarm.stop();
      stopRemoving();
      // Trees that are not done yet are marked unfinished in the store; the next start goes on with them.
      for (let at = queue.length - 1; at >= 0; at -= 1) if (!queue[at]?.answer) queue.splice(at, 1);
      queuedTrees.clear();
      while (pumping) await pumping;
      notary?.stop();
      await notary?.write();
    },
  };
}

/** Whether an answer without facts of its own may come from what this slice would have stored. */
function restsOn(job: Job, slice: Slice): boolean {
  if (job.kind === 'tree') return job.rootId === slice.rootId;
  const { command } = job;
  if ('runId' in command && rootRunId(command.runId) === slice.rootId) return true;
  return (
    'idempotency' in command &&
    slice.idempotency !== undefined &&
    command.idempotency?.key === slice.idempotency.key &&
    command.caller.tenant === slice.idempotency.tenant
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
