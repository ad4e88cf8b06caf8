import type { Worker } from 'node:worker_threads';
import type { Command, Engine, Notice, Reply } from '@baton/engine';
import type { Effects, Loss } from '@baton/engine/ports';
import { BatonError, type RunStatus } from '@baton/protocol';
import type { VaultContents } from '../secrets/host-vault.ts';
import { type Deferred, deferred } from './deferred.ts';
import { effectsUnderWay } from './effects-under-way.ts';
import { type FreshStretch, freshStretches } from './fresh-events.ts';
import { type InFlight, inFlightCommands } from './in-flight.ts';
import { inHandWriter, readInHand } from './in-hand.ts';
import type { FromEngine, StorageState, ToEngine } from './messages.ts';
import { type WatchdogOptions, watch } from './watchdog.ts';

/**
 * The engine as the main thread uses it: the same interface, with another thread behind it. A thread that
 * hangs or dies is replaced. Its work was either committed or is undone, and the tree that it was working on
 * is noted.
 */
export interface ThreadedEngine extends Engine {
  /** Commands that were accepted and not yet answered. */
  inFlight(): number;
  /**
   * Asks the thread whether it answers and can write. It answers between two pieces of work, even when many
   * commands wait. Callers that ask while an answer is pending share this answer.
   */
  check(): Promise<StorageState>;
}

export interface ThreadedEngineOptions {
  /** Starts another thread like the first one. */
  readonly launch: () => Worker;
  readonly inHand: SharedArrayBuffer;
  readonly vault: VaultContents;
  readonly effects: Effects;
  /**
   * The store can no longer be trusted, or too many threads ended unexpectedly. Only a restart of the process
   * may help.
   */
  readonly onFatal: (error: Error) => void;
  /** A thread ended unexpectedly and is being replaced. */
  readonly onRestart: (error: Error, loss: Loss | undefined) => void;
  readonly onLog: (level: string, message: string, fields: Readonly<Record<string, unknown>>) => void;
  readonly onCommitted: (events: number) => void;
  readonly onFresh: (stretch: FreshStretch) => void;
  readonly watchdog?: Pick<WatchdogOptions, 'everyMs'>;
}

/** When more threads than this end unexpectedly within a minute, the process stops. */
const RESTARTS_A_MINUTE = 20;
const MINUTE_MS = 60_000;

function asError(thrown: unknown): Error {
  if (thrown instanceof Error) return thrown;
  const { message } = (thrown ?? {}) as { readonly message?: unknown };
  return new Error(
    typeof message === 'string' ? message : `the engine thread threw ${JSON.stringify(thrown)}`,
  );
}

/** Tells a launched thread to open its data folder, and waits until it accepts commands. */
export async function startThreadedEngine(
  first: Worker,
  options: ThreadedEngineOptions,
): Promise<ThreadedEngine> {
  const commands: InFlight = inFlightCommands((batch) => say({ kind: 'commands', commands: batch }));
  const listeners: ((notices: readonly Notice[]) => void)[] = [];
  const effects = effectsUnderWay(options.effects);
  const stopped = deferred<void>();
  let state: 'starting' | 'running' | 'restarting' | 'stopping' | 'stopped' = 'starting';
  let worker = first;
  /** Counts threads. Messages and the end of an earlier thread are ignored. */
  let generation = 0;
  let ready = deferred<void>();
  let restarts: readonly number[] = [];
  let restarted: Promise<void> | undefined;
  let checking: Deferred<StorageState> | undefined;

  const say = (message: ToEngine): void => worker.postMessage(message);

  function announce(flat: readonly (number | string)[]): void {
    const notices: Notice[] = [];
    for (let i = 0; i + 2 < flat.length; i += 3) {
      notices.push({
        runId: String(flat[i]),
        lastSequence: Number(flat[i + 1]),
        status: flat[i + 2] as RunStatus,
      });
    }
    for (const listener of listeners) listener(notices);
  }

  async function perform(number: number, text: string): Promise<void> {
    const asking = generation;
    const outcome = await effects.perform(JSON.parse(text));
    if (asking === generation) say({ kind: 'outcome', effect: number, outcome: JSON.stringify(outcome) });
  }

  function performAll(asked: readonly (number | string)[]): void {
    for (let i = 0; i + 1 < asked.length; i += 2) void perform(Number(asked[i]), String(asked[i + 1]));
  }

  function hear(message: FromEngine): void {
    switch (message.kind) {
      case 'ready':
        ready.resolve();
        break;
      case 'progress':
        options.onCommitted(message.events);
        for (const stretch of freshStretches(message.fresh)) options.onFresh(stretch);
        // Effects come first, because runs wait for them. Notices only inform readers.
        performAll(message.effects);
        commands.answer(message.replies);
        announce(message.notices);
        break;
      case 'checked':
        checking?.resolve(message.storage);
        checking = undefined;
        break;
      case 'log':
        options.onLog(message.level, message.message, JSON.parse(message.fields));
        break;
      case 'fatal':
        giveUp(new Error(message.message));
        break;
      case 'stopped':
        state = 'stopped';
        stopped.resolve();
    }
  }

  /** Opens the store in a thread. Resolves when the thread accepts commands. */
  async function open(opened: Worker, loss: Loss | undefined): Promise<void> {
    const mine = deferred<void>();
    ready = mine;
    worker = opened;
    generation += 1;
    const own = generation;
    opened.on('message', (message: FromEngine) => {
      if (own === generation) hear(message);
    });
    const lose = (error: Error) => {
      if (own === generation) lost(error, 'lost');
    };
    // A thrown value arrives as a copy. The copy of an error of an unknown class is not an instance of Error.
    opened.on('error', (error) => lose(asError(error)));
    opened.on('exit', (code) => lose(new Error(`the engine thread ended with code ${code}`)));
    say({ kind: 'open', vault: options.vault, ...(loss && { loss }) });
    await mine.promise;
  }

  function giveUp(error: Error): void {
    if (state === 'starting') ready.reject(error);
    else if (state !== 'stopped') options.onFatal(error);
  }

  function tooOften(): boolean {
    const now = Date.now();
    restarts = [...restarts.filter((at) => at > now - MINUTE_MS), now];
    return restarts.length > RESTARTS_A_MINUTE;
  }

  function lost(error: Error, how: Loss['how']): void {
    if (state === 'stopping') stopped.resolve();
    else if (state !== 'running' || tooOften()) giveUp(error);
    else {
      state = 'restarting';
      restarted = restart(error, how).catch(giveUp);
    }
  }

  async function restart(error: Error, how: Loss['how']): Promise<void> {
    const { rootId } = readInHand(options.inHand);
    const loss = rootId === undefined ? undefined : { rootId, how };
    options.onRestart(error, loss);
    commands.hold();
    generation += 1;
    // This closes the thread's connection to the database, which undoes what was not committed.
    await worker.terminate();
    inHandWriter(options.inHand).putDown();
    await open(options.launch(), loss);
    state = 'running';
    say({ kind: 'recover' });
    commands.go();
    if (checking) say({ kind: 'check' });
  }

  await open(first, undefined);
  state = 'running';
  const watchdog = watch({
    ...options.watchdog,
    look: () => readInHand(options.inHand),
    onStall() {
      if (state === 'running')
        lost(new Error('the engine did not finish a piece of work in time'), 'stalled');
    },
  });

  return {
    execute(command: Command): Promise<Reply> {
      if (state !== 'running' && state !== 'restarting')
        return Promise.reject(new BatonError('shutting_down'));
      return commands.send(command);
    },
    recover: async () => say({ kind: 'recover' }),
    onNotices: (listener) => void listeners.push(listener),
    inFlight: commands.count,
    check() {
      if (checking === undefined) {
        checking = deferred();
        if (state === 'running') say({ kind: 'check' });
      }
      return checking.promise;
    },
    async stop() {
      watchdog.stop();
      if (state === 'restarting') await restarted;
      if (state !== 'running') return stopped.promise;
      commands.flush();
      state = 'stopping';
      say({ kind: 'stop' });
      await stopped.promise;
      state = 'stopped';
      generation += 1;
      await worker.terminate();
    },
  };
}
