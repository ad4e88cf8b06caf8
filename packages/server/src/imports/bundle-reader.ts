import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Caller, ImportResult } from '@baton/engine';
import { BatonError } from '@baton/protocol';
import { refusal } from '../http/errors.ts';
import type { VaultContents } from '../secrets/host-vault.ts';
import type { FromReader, ReaderTask } from './messages.ts';

/** Has a bundle read in a thread of its own, and hands over what is to be stored of it part by part. */
export interface BundleReader {
  read(body: Uint8Array, caller: Caller): Promise<ReadingBundle>;
}

export interface ReadingBundle {
  readonly digest: string;
  readonly result: ImportResult;
  readonly parts: number;
  next(): Promise<string>;
  close(): void;
}

export interface ReaderOptions {
  readonly vault: VaultContents;
  readonly knownKeys: readonly string[];
  readonly limits?: ReaderLimits;
}

/** What the reading of one bundle may cost. Real bundles take a tenth of it. */
export interface ReaderLimits {
  readonly ms: number;
  readonly megabytes: number;
}

const LIMITS: ReaderLimits = { ms: 60_000, megabytes: 1024 };

export function bundleReader({ vault, knownKeys, limits = LIMITS }: ReaderOptions): BundleReader {
  return {
    async read(body, caller) {
      const task: ReaderTask = { body, caller, at: Date.now(), vault, knownKeys };
      const thread = new Worker(new URL('./reader-thread.js', import.meta.url), {
        workerData: task,
        resourceLimits: { maxOldGenerationSizeMb: limits.megabytes },
        // Nothing else is left of the body in this thread.
        transferList: [body.buffer as ArrayBuffer],
      });
      const close = (): void => void thread.terminate();
      const timer = setTimeout(close, limits.ms);
      try {
        const message = await told(thread);
        if (message.kind === 'refused') throw refusal(message.error);
        if (message.kind !== 'read') throw new Error(`the reader of a bundle began with ${message.kind}`);
        return { ...message, next: () => nextPart(thread), close };
      } catch (problem) {
        close();
        throw problem;
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

async function nextPart(thread: Worker): Promise<string> {
  thread.postMessage('next');
  const message = await told(thread);
  if (message.kind !== 'part') throw new Error(`the reader of a bundle said ${message.kind}`);
  return message.part;
}

/** The next that the thread says; one that was stopped, or had too little memory, says nothing any more. */
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
    'The bundle takes more time or memory to check than this host gives to one; export a smaller tree.',
  );
}
