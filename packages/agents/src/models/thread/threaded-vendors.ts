import { Worker } from 'node:worker_threads';
import type { ModelAnswer } from '@baton/engine/ports';
import { type Later, realLater } from '../timers.ts';
import type { VendorCall, Vendors } from '../vendors.ts';
import type { FromModelThread, SentCall, ToModelThread } from './messages.ts';

/** Starts a model thread. */
export type LaunchModelThread = () => Worker;

interface ThreadedVendorsOptions {
  readonly launch?: LaunchModelThread | undefined;
  readonly later?: Later;
  /** The thread ended unexpectedly while so many calls were under way. The next call starts another one. */
  readonly onLost: (error: Error, calls: number) => void;
}

/** The most memory that the thread may use, in megabytes. A thread that needs more is ended. */
const HEAP_MB = 1024;

function launchModelThread(): Worker {
  return new Worker(new URL('./model-thread.js', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  });
}

interface Asked {
  readonly call: VendorCall;
  readonly settle: (answer: ModelAnswer | undefined) => void;
}

/** A running thread with its calls. */
interface ModelThread {
  readonly worker: Worker;
  readonly calls: Map<number, Asked>;
  readonly pulse: Pulse;
}

/**
 * Asks vendors in a thread of its own, because reading their streams takes more time than anything else that
 * the host does. The thread is started with the first call. When it is lost, its calls are lost too, and the
 * next call starts another thread. The time limits of calls are kept in the thread, so this side notices when the
 * thread itself is stuck.
 */
export function threadedVendors({
  launch = launchModelThread,
  later = realLater,
  onLost,
}: ThreadedVendorsOptions): Vendors {
  let current: ModelThread | undefined;
  let isStopped = false;
  let last = 0;

  function start(): ModelThread {
    const worker = launch();
    const ping = () => worker.postMessage({ kind: 'ping' } satisfies ToModelThread);
    const onStuck = () => {
      lose(new Error(`the model thread sent nothing for ${SILENCE_MS / 1000} s`));
      void worker.terminate();
    };
    const thread: ModelThread = {
      worker,
      calls: new Map(),
      pulse: pulseOf({ later, ping, onStuck }),
    };
    const lose = (error: Error) => {
      if (current !== thread) return;
      current = undefined;
      onLost(error, thread.calls.size);
      drop(thread);
    };
    worker.on('message', (news: FromModelThread) => hear(thread, news));
    worker.on('error', (thrown) => lose(asError(thrown)));
    worker.on('exit', (code) => lose(new Error(`the model thread ended with code ${code}`)));
    // The host keeps the process running, not the thread.
    worker.unref();
    return thread;
  }

  return {
    ask(call, vendor) {
      if (isStopped) return Promise.resolve(undefined);
      current ??= start();
      const { worker, calls, pulse } = current;
      const id = ++last;
      const say = (message: ToModelThread) => worker.postMessage(message);
      const { request, key, traceparent, signal } = call;
      return new Promise((done) => {
        const abort = () => say({ kind: 'abort', id });
        const settle = (answer: ModelAnswer | undefined) => {
          calls.delete(id);
          if (calls.size === 0) pulse.end();
          signal.removeEventListener('abort', abort);
          done(answer);
        };
        calls.set(id, { call, settle });
        pulse.begin();
        say({
          kind: 'ask',
          id,
          call: JSON.stringify({ request, key, traceparent, vendor } satisfies SentCall),
        });
        if (signal.aborted) abort();
        else signal.addEventListener('abort', abort);
      });
    },
    async stop() {
      isStopped = true;
      const thread = current;
      current = undefined;
      if (thread === undefined) return;
      // This closes the sockets of the calls that are under way.
      await thread.worker.terminate();
      drop(thread);
    },
  };
}

function hear({ calls, pulse }: ModelThread, { said, answers }: FromModelThread): void {
  pulse.heard();
  for (let at = 0; at + 2 < said.length; at += 3) {
    const call = calls.get(Number(said[at]))?.call;
    const text = String(said[at + 2]);
    if (said[at + 1] === 'reasoning') call?.reasoned(text);
    else call?.progress(text);
  }
  for (let at = 0; at + 1 < answers.length; at += 2) {
    calls.get(Number(answers[at]))?.settle(JSON.parse(String(answers[at + 1])));
  }
}

function drop({ calls }: ModelThread): void {
  for (const { settle } of [...calls.values()]) settle(undefined);
}

/** A thrown value arrives as a copy. The copy of an error of an unknown class is not an instance of Error. */
function asError(thrown: unknown): Error {
  if (thrown instanceof Error) return thrown;
  const { message } = (thrown ?? {}) as { readonly message?: unknown };
  return new Error(typeof message === 'string' ? message : 'the model thread threw a value that is no error');
}

/** Notices that a thread with work is stuck: it is asked for a message from time to time. */
interface Pulse {
  /** The thread has work from now on. */
  begin(): void;
  /** The thread has sent a message. */
  heard(): void;
  /** The thread has no more work, or has ended. */
  end(): void;
}

/** A thread that sends nothing for this time, although it was asked to, is stuck. */
const SILENCE_MS = 60_000;

interface PulseOptions {
  readonly later: Later;
  readonly ping: () => void;
  readonly onStuck: () => void;
}

function pulseOf({ later, ping, onStuck }: PulseOptions): Pulse {
  let cancel: (() => void) | undefined;
  let isHeard = false;

  function listen(): void {
    isHeard = false;
    ping();
    cancel = later(SILENCE_MS, () => (isHeard ? listen() : onStuck()));
  }

  return {
    begin() {
      if (cancel === undefined) listen();
    },
    heard() {
      isHeard = true;
    },
    end() {
      cancel?.();
      cancel = undefined;
    },
  };
}
