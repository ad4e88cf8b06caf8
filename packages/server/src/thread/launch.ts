import { Worker } from 'node:worker_threads';
import type { EngineThreadSettings } from './messages.ts';
import type { WatchdogOptions } from './watchdog.ts';

/** What the engine may use at most, in megabytes. A thread that needs more is lost, and the process is not. */
const HEAP_MB = 2048;

/** The engine's thread, and how to start another when it is lost. */
export interface EngineThread {
  readonly first: Worker;
  readonly launch: () => Worker;
  readonly inHand: SharedArrayBuffer;
  readonly watchdog: Pick<WatchdogOptions, 'everyMs'>;
}

export type LaunchEngineThread = (settings: EngineThreadSettings) => Worker;

/**
 * Starts the engine's thread, which loads its code while the main thread loads its own and touches nothing
 * until it is told to open the data folder. Imports nothing heavy, so that it can come first.
 */
export function launchEngineThread(settings: EngineThreadSettings): Worker {
  return new Worker(new URL('./engine-thread.js', import.meta.url), {
    workerData: settings,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  });
}
