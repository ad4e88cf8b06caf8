import { Worker } from 'node:worker_threads';
import type { EngineThreadSettings } from './messages.ts';
import type { WatchdogOptions } from './watchdog.ts';

/**
 * The most memory that the engine may use, in megabytes. A thread that needs more is ended, but the process
 * goes on.
 */
const HEAP_MB = 2048;

/** The engine's thread, and how to start another when it is lost. */
export interface EngineThread {
  readonly first: Worker;
  readonly launch: () => Worker;
  readonly inHand: SharedArrayBuffer;
  readonly watchdog: Pick<WatchdogOptions, 'everyMs'>;
  /** The address of a module that extends the product. */
  readonly extension: string | undefined;
}

export type LaunchEngineThread = (settings: EngineThreadSettings) => Worker;

/**
 * Starts the engine thread. It loads its code while the main thread loads its own, and waits for the message
 * to open the data folder. This file imports no large modules, so that the thread can be started first.
 */
export function launchEngineThread(settings: EngineThreadSettings): Worker {
  return new Worker(new URL('./engine-thread.js', import.meta.url), {
    workerData: settings,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  });
}
