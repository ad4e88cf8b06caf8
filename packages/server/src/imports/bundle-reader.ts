import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Caller, ImportResult, OpenVault } from '@baton/engine';
import { BatonError } from '@baton/protocol';
import { refusal } from '../http/errors.ts';
import type { FromReader, ReaderSettings, ToReader } from './messages.ts';

/** Reads bundles in a separate thread, and returns the parts to store one after the other. */
export interface BundleReader {
  /** The body is transferred to the thread and cannot be used by the caller afterwards. */
  read(body: Uint8Array<ArrayBuffer>, caller: Caller): Promise<ReadingBundle>;
  stop(): Promise<void>;
}

export interface ReadingBundle {
  readonly digest: string;
  readonly result: ImportResult;
  readonly parts: number;
  next(): Promise<string>;
  close(): void;
}

/** How much time and memory the reading of one bundle may take. Real bundles take a tenth of it. */
export interface ReaderLimits {
  readonly ms: number;
  readonly megabytes: number;
}

const LIMITS: ReaderLimits = { ms: 120_000, megabytes: 1024 };
/** A thread that has read more than this holds much memory. It is ended, so that the memory is given back. */
const KEPT_AFTER_BYTES = 1024 * 1024;

/** `secretsOf` gives the secrets that a tenant has set since the contents of the vault were read. */
export function bundleReader(
  settings: ReaderSettings,
  secretsOf: OpenVault['changes'],
  limits: ReaderLimits = LIMITS,
): BundleReader {
  /** Started for the first bundle and kept for the next one, because loading its code takes a moment. */
  let idle: Worker | undefined;
  const gone = new WeakSet<Worker>();

  function launch(): Worker {
    const thread = new Worker(new URL('./reader-thread.js', import.meta.url), {
      workerData: settings,
      resourceLimits: { maxOldGenerationSizeMb: limits.megabytes },
    });
    thread.unref();
    // A caller that waits for the thread is told by `told`. An idle thread that fails is only forgotten.
    thread.on('error', () => undefined);
    thread.once('exit', () => {
      gone.add(thread);
      if (idle === thread) idle = undefined;
    });
    return thread;
  }

  function giveBack(thread: Worker, bytes: number): void {
    if (gone.has(thread)) return;
    if (idle !== undefined || bytes > KEPT_AFTER_BYTES) return void thread.terminate();
    say(thread, { kind: 'forget' });
    idle = thread;
  }

  return {
    async read(body, caller) {
      const bytes = body.byteLength;
      const thread = idle ?? launch();
      idle = undefined;
      const timer = setTimeout(() => void thread.terminate(), limits.ms);
      try {
        const secrets = secretsOf(caller.tenant);
        say(thread, { kind: 'read', body, caller, secrets, at: Date.now() }, [body.buffer]);
        const message = await told(thread);
        if (message.kind === 'read') {
          return { ...message, next: () => nextPart(thread), close: () => giveBack(thread, bytes) };
        }
        giveBack(thread, bytes);
        if (message.kind === 'refused') throw refusal(message.error);
        throw new Error(`the reader of a bundle began with ${message.kind}`);
      } finally {
        clearTimeout(timer);
      }
    },
    async stop() {
      await idle?.terminate();
    },
  };
}

function say(thread: Worker, message: ToReader, transferred: readonly ArrayBuffer[] = []): void {
  thread.postMessage(message, transferred);
}

async function nextPart(thread: Worker): Promise<string> {
  say(thread, { kind: 'next' });
  const message = await told(thread);
  if (message.kind !== 'part') throw new Error(`the reader of a bundle said ${message.kind}`);
  return message.part;
}

/** The next message of the thread. Throws when the thread was stopped or ran out of memory. */
async function told(thread: Worker): Promise<FromReader> {
  const ended = new AbortController();
  const { signal } = ended;
  try {
    return await Promise.race([
      once(thread, 'message', { signal }).then(([message]) => message as FromReader),
      once(thread, 'exit', { signal }).then(() => Promise.reject(tooMuch())),
    ]);
  } catch (problem) {
    throw outOfMemory(problem) ? tooMuch() : problem;
  } finally {
    ended.abort();
  }
}

function outOfMemory(problem: unknown): boolean {
  return problem instanceof Error && 'code' in problem && problem.code === 'ERR_WORKER_OUT_OF_MEMORY';
}

function tooMuch(): BatonError {
  return new BatonError(
    'bundle_invalid',
    'The bundle needs more time or memory than this host allows for one bundle; export a smaller tree.',
  );
}
