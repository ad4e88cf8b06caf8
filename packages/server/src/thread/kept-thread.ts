import type { Worker } from 'node:worker_threads';
import type { Loss } from '@baton/engine/ports';
import type { VaultContents } from '../secrets/host-vault.ts';
import { deferred } from './deferred.ts';
import { inHandWriter, readInHand } from './in-hand.ts';
import type { ClusterState, FromEngine, ToEngine } from './messages.ts';
import { type Watchdog, type WatchdogOptions, watch } from './watchdog.ts';

/** Keeps one engine thread running: a thread that hangs or dies is replaced. */
export interface KeptThread {
  /** Opens the store in the first thread. Resolves when the thread accepts commands. */
  start(): Promise<void>;
  /** A thread runs, and no other thread is about to take its place. */
  isRunning(): boolean;
  /** Commands are accepted. While a thread is replaced, they wait for the next one. */
  isOpen(): boolean;
  say(message: ToEngine): void;
  /** See `CurrentThread`. */
  answering(): (message: ToEngine) => void;
  stop(): Promise<void>;
}

export interface KeptThreadOptions {
  /** Starts another thread like the first one. */
  readonly launch: () => Worker;
  readonly inHand: SharedArrayBuffer;
  /** The contents of the vault at this moment, for the thread that is about to be opened. */
  readonly vault: () => VaultContents;
  /** The hosts that share the store, at this moment. Absent: this is the only one. */
  readonly cluster?: (() => ClusterState) | undefined;
  readonly watchdog?: Pick<WatchdogOptions, 'everyMs'> | undefined;
  readonly hear: (message: FromEngine) => void;
  /**
   * The store can no longer be trusted, or too many threads ended unexpectedly. Only a restart of the process
   * may help.
   */
  readonly onFatal: (error: Error) => void;
  /** A thread ended unexpectedly and is being replaced. */
  readonly onRestart: (error: Error, loss: Loss | undefined) => void;
  /** Another thread has taken its place and continues the runs. */
  readonly onReplaced: () => void;
  /** The thread is about to be told to stop. */
  readonly onStopping: () => void;
}

export function keptThread(first: Worker, options: KeptThreadOptions): KeptThread {
  const { vault, cluster } = options;
  const thread = currentThread(first, { vault, cluster, hear, onLost: (error) => lost(error, 'lost') });
  const tooOften = restartLimit(Date.now);
  const stopped = deferred<void>();
  let state: 'starting' | 'running' | 'restarting' | 'stopping' | 'stopped' = 'starting';
  let restarted: Promise<void> | undefined;
  let watchdog: Watchdog | undefined;

  function hear(message: FromEngine): void {
    if (message.kind === 'fatal') giveUp(new Error(message.message));
    else if (message.kind === 'stopped') {
      state = 'stopped';
      stopped.resolve();
    } else options.hear(message);
  }

  function giveUp(error: Error): void {
    if (state === 'starting') thread.refuse(error);
    else if (state !== 'stopped') options.onFatal(error);
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
    // This closes the thread's connection to the database, which undoes what was not committed.
    await thread.end();
    inHandWriter(options.inHand).putDown();
    await thread.open(options.launch(), loss);
    state = 'running';
    thread.say({ kind: 'recover' });
    options.onReplaced();
  }

  function stalled(): void {
    if (state !== 'running') return;
    lost(new Error('the engine did not finish a piece of work in time'), 'stalled');
  }

  return {
    async start() {
      await thread.open(first, undefined);
      state = 'running';
      watchdog = watch({ ...options.watchdog, look: () => readInHand(options.inHand), onStall: stalled });
    },
    isRunning: () => state === 'running',
    isOpen: () => state === 'running' || state === 'restarting',
    say: thread.say,
    answering: thread.answering,
    async stop() {
      watchdog?.stop();
      if (state === 'restarting') await restarted;
      if (state !== 'running') return stopped.promise;
      options.onStopping();
      state = 'stopping';
      thread.say({ kind: 'stop' });
      await stopped.promise;
      state = 'stopped';
      await thread.end();
    },
  };
}

/** When more threads than this end unexpectedly within a minute, the process stops. */
const RESTARTS_A_MINUTE = 20;
const MINUTE_MS = 60_000;

/** Counts a restart, and says whether there were too many within the last minute. */
function restartLimit(now: () => number): () => boolean {
  let restarts: readonly number[] = [];
  return () => {
    const at = now();
    restarts = [...restarts.filter((earlier) => earlier > at - MINUTE_MS), at];
    return restarts.length > RESTARTS_A_MINUTE;
  };
}

interface CurrentThreadOptions {
  /** The contents of the vault at this moment. */
  readonly vault: () => VaultContents;
  /** The hosts that share the store, at this moment. Absent: this is the only one. */
  readonly cluster: (() => ClusterState) | undefined;
  readonly hear: (message: FromEngine) => void;
  /** The thread has ended unexpectedly. */
  readonly onLost: (error: Error) => void;
}

/** The thread that runs the engine at present. Messages and the end of an earlier thread are ignored. */
function currentThread(first: Worker, { vault, cluster, hear, onLost }: CurrentThreadOptions) {
  let worker = first;
  /** Counts threads. */
  let generation = 0;
  let ready = deferred<void>();

  const say = (message: ToEngine): void => worker.postMessage(message);

  return {
    /** Opens the store in a thread, which is the current one from now on. Resolves when it accepts commands. */
    async open(opened: Worker, loss: Loss | undefined): Promise<void> {
      const mine = deferred<void>();
      ready = mine;
      worker = opened;
      generation += 1;
      const own = generation;
      opened.on('message', (message: FromEngine) => {
        if (own !== generation) return;
        if (message.kind === 'ready') mine.resolve();
        else hear(message);
      });
      const lose = (error: Error) => {
        if (own === generation) onLost(error);
      };
      // A thrown value arrives as a copy. The copy of an error of an unknown class is not an instance of Error.
      opened.on('error', (error) => lose(asError(error)));
      opened.on('exit', (code) => lose(new Error(`the engine thread ended with code ${code}`)));
      say({ kind: 'open', vault: vault(), cluster: cluster?.(), ...(loss && { loss }) });
      await mine.promise;
    },
    /** The thread that is being opened cannot be used. */
    refuse: (error: Error) => ready.reject(error),
    say,
    /** Answers the thread that is the current one now. The answer is dropped if another thread has taken its place. */
    answering(): (message: ToEngine) => void {
      const asking = generation;
      return (message) => {
        if (asking === generation) say(message);
      };
    },
    async end(): Promise<void> {
      generation += 1;
      await worker.terminate();
    },
  };
}

function asError(thrown: unknown): Error {
  if (thrown instanceof Error) return thrown;
  const { message } = (thrown ?? {}) as { readonly message?: unknown };
  return new Error(
    typeof message === 'string' ? message : `the engine thread threw ${JSON.stringify(thrown)}`,
  );
}
