import type { Worker } from 'node:worker_threads';
import type { Command, Engine, Notice, Reply } from '@baton/engine';
import type { Effects } from '@baton/engine/ports';
import { BatonError, type RunStatus } from '@baton/protocol';
import type { VaultContents } from '../secrets/host-vault.ts';
import { deferred } from './deferred.ts';
import { type FreshStretch, freshStretches } from './fresh-events.ts';
import type { FromEngine, ToEngine } from './messages.ts';

/** The engine as the main thread sees it: the same interface, with another thread behind it. */
export interface ThreadedEngine extends Engine {
  /** Commands that were accepted and not yet answered. */
  inFlight(): number;
}

export interface ThreadedEngineOptions {
  readonly vault: VaultContents;
  readonly effects: Effects;
  /** The thread is lost. Nothing in memory can be trusted; only a restart recovers. */
  readonly onFatal: (error: Error) => void;
  readonly onLog: (level: string, message: string, fields: Readonly<Record<string, unknown>>) => void;
  readonly onCommitted: (events: number) => void;
  readonly onFresh: (stretch: FreshStretch) => void;
}

/** Beyond this the caller is turned away; what was accepted before is not lost. */
export const MAX_IN_FLIGHT = 10_000;

function asError(thrown: unknown): Error {
  if (thrown instanceof Error) return thrown;
  const { message } = (thrown ?? {}) as { readonly message?: unknown };
  return new Error(
    typeof message === 'string' ? message : `the engine thread threw ${JSON.stringify(thrown)}`,
  );
}

/** Tells a launched thread to open its data folder, and waits until it has recovered. */
export async function startThreadedEngine(
  worker: Worker,
  options: ThreadedEngineOptions,
): Promise<ThreadedEngine> {
  const say = (message: ToEngine): void => worker.postMessage(message);

  const waiting = new Map<number, (reply: Reply) => void>();
  const listeners: ((notices: readonly Notice[]) => void)[] = [];
  let lastId = 0;
  let outgoing: (number | string)[] = [];
  let state: 'starting' | 'running' | 'stopping' | 'stopped' = 'starting';

  const ready = deferred<void>();
  const stopped = deferred<void>();

  function lose(error: Error): void {
    if (state === 'starting') ready.reject(error);
    else if (state !== 'stopped') options.onFatal(error);
  }

  function answer(replies: readonly (number | string)[]): void {
    for (let i = 0; i + 1 < replies.length; i += 2) {
      const id = Number(replies[i]);
      const resolve = waiting.get(id);
      waiting.delete(id);
      resolve?.(JSON.parse(String(replies[i + 1])));
    }
  }

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
    const outcome = await options.effects.perform(JSON.parse(text));
    say({ kind: 'outcome', effect: number, outcome: JSON.stringify(outcome) });
  }

  function performAll(effects: readonly (number | string)[]): void {
    for (let i = 0; i + 1 < effects.length; i += 2) void perform(Number(effects[i]), String(effects[i + 1]));
  }

  worker.on('message', (message: FromEngine) => {
    switch (message.kind) {
      case 'ready':
        state = 'running';
        return ready.resolve();
      case 'progress':
        options.onCommitted(message.events);
        for (const stretch of freshStretches(message.fresh)) options.onFresh(stretch);
        // Runs wait for effects, readers only for news.
        performAll(message.effects);
        answer(message.replies);
        return announce(message.notices);
      case 'log':
        return options.onLog(message.level, message.message, JSON.parse(message.fields));
      case 'fatal':
        return lose(new Error(message.message));
      case 'stopped':
        state = 'stopped';
        return stopped.resolve();
    }
  });
  // What a thread throws arrives as a copy, and the copy of an unknown class is no error any more.
  worker.on('error', (error) => lose(asError(error)));
  worker.on('exit', (code) => lose(new Error(`the engine thread ended with code ${code}`)));

  function post(): void {
    say({ kind: 'commands', commands: outgoing });
    outgoing = [];
  }

  say({ kind: 'open', vault: options.vault });
  await ready.promise;
  return {
    execute(command: Command): Promise<Reply> {
      if (state !== 'running') return Promise.reject(new BatonError('shutting_down'));
      if (waiting.size >= MAX_IN_FLIGHT) return Promise.reject(new BatonError('overloaded'));
      const id = ++lastId;
      // All requests that were read from their sockets in this turn share one message.
      if (outgoing.length === 0) setImmediate(post);
      outgoing.push(id, JSON.stringify(command));
      return new Promise((resolve) => waiting.set(id, resolve));
    },
    onNotices: (listener) => void listeners.push(listener),
    inFlight: () => waiting.size,
    async stop() {
      if (state !== 'running') return stopped.promise;
      if (outgoing.length > 0) post();
      state = 'stopping';
      say({ kind: 'stop' });
      await stopped.promise;
      await worker.terminate();
    },
  };
}
