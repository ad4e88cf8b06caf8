import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { BundleRefusal, type BundleSummary, publicKey } from '@baton/engine';

export type { BundleSummary } from '@baton/engine';

import type { BundleTask, FromBundleThread } from './bundle-thread.ts';

/** What the reading of one bundle may take. A bundle that a host wrote takes a tenth of it. */
export interface BundleLimits {
  readonly bytes: number;
  readonly ms: number;
  readonly heapMegabytes: number;
}

const MEGABYTE = 1024 * 1024;

/** Enough for the events and the memory of the largest bundle that a host writes, and for the data about them. */
const LIMITS: BundleLimits = { bytes: 48 * MEGABYTE, ms: 120_000, heapMegabytes: 1024 };

interface Opening {
  readonly file: string;
  /** Where the runs are written, for a host to serve. Absent: the bundle is only verified. */
  readonly folder?: string;
  /** A file with public audit keys, one of which has to have signed the bundle. */
  readonly trusted?: string;
}

/**
 * Verifies a bundle, and writes its runs into a new data folder. Another thread does it: a forged bundle may ask for
 * any amount of time and memory, and that thread can be ended. Rejects with a `BundleRefusal` that says what is wrong.
 */
export async function openBundleFile(
  { file, folder, trusted }: Opening,
  { bytes, ms, heapMegabytes }: BundleLimits = LIMITS,
): Promise<BundleSummary> {
  const { size } = statSync(file);
  if (size > bytes) {
    const megabytes = (size / MEGABYTE).toFixed(1);
    throw new BundleRefusal(`The bundle has ${megabytes} MB; at most ${bytes / MEGABYTE} MB are read.`);
  }
  const task: BundleTask = { file, folder, trusted: readTrustedKeys(trusted) };
  const thread = new Worker(new URL('./bundle-thread.js', import.meta.url), {
    workerData: task,
    resourceLimits: { maxOldGenerationSizeMb: heapMegabytes },
  });
  const timer = setTimeout(() => void thread.terminate(), ms);
  try {
    const told = await Promise.race([
      once(thread, 'message').then(([message]) => message as FromBundleThread),
      new Promise<undefined>((resolve) => thread.once('exit', () => resolve(undefined))),
    ]);
    if (told?.kind === 'opened') return told.summary;
    throw told === undefined ? tooMuch() : new BundleRefusal(told.message);
  } catch (problem) {
    throw isOutOfMemory(problem) ? tooMuch() : problem;
  } finally {
    clearTimeout(timer);
    await thread.terminate();
  }
}

/** The file holds public keys as PEM, one after the other. */
function readTrustedKeys(file: string | undefined): readonly string[] {
  if (file === undefined) return [];
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    throw new Error(`the trusted audit keys ${file} cannot be read`, { cause });
  }
  const keys = text.match(/-----BEGIN [^-]+-----[^-]+-----END [^-]+-----/g) ?? [];
  if (keys.length === 0)
    throw new Error(`${file} holds no public key as PEM; use the answer of GET /v1/audit/key`);
  return keys.map((pem) => publicKey(pem, file).pem);
}

function isOutOfMemory(problem: unknown): boolean {
  return problem instanceof Error && 'code' in problem && problem.code === 'ERR_WORKER_OUT_OF_MEMORY';
}

function tooMuch(): BundleRefusal {
  return new BundleRefusal(
    'The bundle needs more time or memory than the reading of a bundle may take. No host writes such a bundle.',
  );
}
