import type { Worker } from 'node:worker_threads';
import type { Engine, Notice, SecretChange } from '@baton/engine';
import {
  type ChangeFeed,
  type ChangeListeners,
  changeListeners,
  type Effect,
  type EffectContext,
  type EffectOutcome,
  type Effects,
  type ProgressOf,
} from '@baton/engine/ports';
import { BatonError } from '@baton/protocol';
import { type Deferred, deferred } from './deferred.ts';
import { type FreshStretch, freshStretches } from './fresh-events.ts';
import { type InFlight, inFlightCommands } from './in-flight.ts';
import { type KeptThread, type KeptThreadOptions, keptThread } from './kept-thread.ts';
import type { ClusterState, FromEngine, Numbered, StorageState } from './messages.ts';
import { noticesIn } from './messages.ts';

/**
 * The engine as the main thread uses it: the same interface, with another thread behind it. A thread that
 * hangs or dies is replaced. Its work was either committed or is undone, and the tree that it was working on
 * is noted.
 */
export interface ThreadedEngine extends Engine, ChangeFeed {
  /** Commands that were accepted and not yet answered. */
  inFlight(): number;
  /**
   * Asks the thread whether it answers and can write. It answers between two pieces of work, even when many
   * commands wait. Callers that ask while an answer is pending share this answer.
   */
  check(): Promise<StorageState>;
  /** Before a stop: begins no further effect, and resolves when those under way are over. */
  drain(): Promise<void>;
  /** Tells the thread which hosts are at work. */
  tellHosts(cluster: ClusterState, isHostGone: boolean, looks: boolean): void;
  /**
   * Tells the thread whether readers follow the log of a run. Its new events come with `onFresh`. After missed changes
   * the thread has to be told again.
   */
  tellFollowed(runId: string, isFollowed: boolean): void;
  /** Tells the thread of a change of secrets. It is known there before every command that is sent afterwards. */
  tellSecret(change: SecretChange): void;
}

interface ThreadedEngineOptions
  extends Pick<
    KeptThreadOptions,
    'launch' | 'inHand' | 'vault' | 'cluster' | 'watchdog' | 'onFatal' | 'onRestart'
  > {
  readonly effects: Effects;
  readonly onLog: (level: string, message: string, fields: Readonly<Record<string, unknown>>) => void;
  readonly onCommitted: (events: number) => void;
  readonly onFresh: (stretch: FreshStretch) => void;
  /** Told the spans that have ended, as JSON. */
  readonly onSpans?: ((spans: string) => void) | undefined;
}

/** Tells a launched thread to open its data folder, and waits until it accepts commands. */
export async function startThreadedEngine(
  first: Worker,
  options: ThreadedEngineOptions,
): Promise<ThreadedEngine> {
  const commands: InFlight = inFlightCommands((batch) => thread.say({ kind: 'commands', commands: batch }));
  const listeners: ((notices: readonly Notice[]) => void)[] = [];
  const feed = changeListeners();
  const effects = effectsUnderWay(options.effects);
  /** The effects that the present thread has asked for, by their numbers. */
  const aborts = new Map<number, AbortController>();
  const storage = pendingCheck(() => {
    if (thread.isRunning()) thread.say({ kind: 'check' });
  });
  const secrets = toldSecrets(() => thread);
  const drained = deferred<void>();

  async function perform(number: number, text: string): Promise<void> {
    const answer = thread.answering();
    const abort = new AbortController();
    aborts.set(number, abort);
    const progress = (chunk: string, isLast = false, of?: ProgressOf) =>
      answer({ kind: 'chunk', effect: number, chunk, isLast, of });
    const outcome = await effects.perform(JSON.parse(text), { signal: abort.signal, progress });
    // Another thread may have asked for another effect under this number.
    if (aborts.get(number) === abort) aborts.delete(number);
    answer({ kind: 'outcome', effect: number, outcome: JSON.stringify(outcome) });
  }

  function performAll(asked: Numbered): void {
    for (let i = 0; i + 1 < asked.length; i += 2) void perform(Number(asked[i]), String(asked[i + 1]));
  }

  function hear(message: FromEngine): void {
    if (message.kind === 'progress') {
      options.onCommitted(message.events);
      for (const stretch of freshStretches(message.fresh)) options.onFresh(stretch);
      // Caches are dropped before the callers that made the changes are answered.
      message.changes.forEach(feed.tell);
      // Effects come first, because runs wait for them. Notices only inform readers.
      performAll(message.effects);
      for (const number of message.aborted) aborts.get(number)?.abort();
      commands.answer(message.replies);
      const notices = noticesIn(message.notices);
      for (const listener of listeners) listener(notices);
    } else if (message.kind === 'checked') storage.answered(message.storage);
    else if (message.kind === 'drained') drained.resolve();
    else passOn(message, options);
  }

  const thread: KeptThread = keptThread(first, {
    ...options,
    hear,
    onRestart(error, loss) {
      options.onRestart(error, loss);
      aborts.clear();
      commands.hold();
    },
    onReplaced() {
      secrets.replaced();
      // The thread that was lost may have stored changes that it did not report any more.
      feed.tell({ kind: 'missed' });
      commands.go();
      storage.repeat();
    },
    onStopping: commands.flush,
  });
  await thread.start();
  return {
    execute: (command) =>
      thread.isOpen() ? commands.send(command) : Promise.reject(new BatonError('shutting_down')),
    recover: async () => thread.say({ kind: 'recover' }),
    ...sharing(thread, drained.promise, feed),
    onNotices: (listener) => void listeners.push(listener),
    changes: feed.changes,
    inFlight: commands.count,
    check: storage.check,
    tellSecret: secrets.tell,
    stop: thread.stop,
  };
}

/** What the thread is told about the other hosts and about readers. */
function sharing(
  thread: KeptThread,
  drained: Promise<void>,
  feed: ChangeListeners,
): Pick<ThreadedEngine, 'drain' | 'tellHosts' | 'tellFollowed'> {
  return {
    tellFollowed(runId, isFollowed) {
      if (thread.isRunning()) thread.say({ kind: 'followed', runId, isFollowed });
    },
    async drain() {
      if (!thread.isRunning()) return;
      thread.say({ kind: 'drain' });
      await drained;
    },
    tellHosts(cluster, isHostGone, looks) {
      // A thread that takes the place of another one is told when it is opened.
      if (thread.isRunning()) thread.say({ kind: 'hosts', cluster, adopts: isHostGone || looks });
      // What the lost host had begun to send is found in the store.
      if (isHostGone) feed.tell({ kind: 'missed' });
    },
  };
}

/** Passes on what the thread tells of its work. */
function passOn(message: FromEngine, { onSpans, onLog }: ThreadedEngineOptions): void {
  if (message.kind === 'spans') onSpans?.(message.spans);
  if (message.kind === 'log') onLog(message.level, message.message, JSON.parse(message.fields));
}

/**
 * Tells the engine thread of changes of secrets. A thread that is replaced is opened with the secrets of that
 * moment. Changes that come until it runs wait here; it may have been opened before they came.
 */
export function toldSecrets(thread: () => Pick<KeptThread, 'isRunning' | 'say'>) {
  let untold: SecretChange[] = [];

  function tell(change: SecretChange): void {
    if (thread().isRunning()) thread().say({ kind: 'secret', change });
    else untold.push(change);
  }

  return {
    /** The thread knows the change before every command that is sent afterwards. */
    tell,
    /** Another thread has taken the place of a lost one. */
    replaced(): void {
      const late = untold;
      untold = [];
      late.forEach(tell);
    },
  };
}

/**
 * The question whether the engine thread answers and can write. Callers that ask meanwhile share one answer.
 * `ask` sends the question; while a thread is being replaced it does nothing.
 */
function pendingCheck(ask: () => void) {
  let pending: Deferred<StorageState> | undefined;
  return {
    check(): Promise<StorageState> {
      if (pending === undefined) {
        pending = deferred();
        ask();
      }
      return pending.promise;
    },
    answered(state: StorageState): void {
      pending?.resolve(state);
      pending = undefined;
    },
    /** Asks the next thread, if the answer of the last one is still missing. */
    repeat(): void {
      if (pending !== undefined) ask();
    },
  };
}

interface Call {
  readonly abort: AbortController;
  readonly outcome: Promise<EffectOutcome>;
}

/**
 * Effects that are being performed. An engine that is restarted meanwhile asks for them again. It is given
 * the outcome of the call that is already under way, and the call is not repeated.
 */
export function effectsUnderWay(effects: Effects): Effects {
  const underWay = new Map<string, Call>();
  const listeners = new Map<string, EffectContext>();

  function begin(effect: Effect): Call {
    const { key } = effect;
    const abort = new AbortController();
    const progress: EffectContext['progress'] = (chunk, isLast, of) =>
      listeners.get(key)?.progress(chunk, isLast, of);
    const outcome = effects.perform(effect, { signal: abort.signal, progress }).finally(() => {
      underWay.delete(key);
      listeners.delete(key);
    });
    const call = { abort, outcome };
    underWay.set(key, call);
    return call;
  }

  return {
    perform(effect, context) {
      // First, because a call may report its first progress before `begin` returns.
      listeners.set(effect.key, context);
      const { outcome, abort } = underWay.get(effect.key) ?? begin(effect);
      context.signal.addEventListener('abort', () => abort.abort());
      return outcome;
    },
  };
}
