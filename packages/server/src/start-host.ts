import type { Worker } from 'node:worker_threads';
import type { FastifyInstance } from 'fastify';
import type { Host } from './host.ts';
import { type HostSettings, limitsIn } from './settings.ts';
import { inHandMemory } from './thread/in-hand.ts';
import { type LaunchEngineThread, launchEngineThread } from './thread/launch.ts';
import type { WatchdogOptions } from './thread/watchdog.ts';

/** The engine thread, and a function that starts another one when it ends unexpectedly. */
export interface EngineThread {
  readonly first: Worker;
  readonly launch: () => Worker;
  readonly inHand: SharedArrayBuffer;
  readonly watchdog: Watching;
}

/** Parts that tests replace. */
export interface HostParts {
  readonly launch?: LaunchEngineThread;
  readonly watchdog?: Watching;
  readonly observe?: ObserveApp;
}

/** Is given the HTTP side of a host before any hook or route is added to it. */
export type ObserveApp = (app: FastifyInstance) => void;

type Watching = Pick<WatchdogOptions, 'everyMs'>;

/** Starts a host: opens the data folder, listens, and continues the runs that have not ended. */
export async function startHost(settings: HostSettings, parts: HostParts = {}): Promise<Host> {
  const { dataFolder, alwaysReplay, auditKeyFile, retentionMs } = settings;
  const limits = limitsIn(settings);
  const memoryMs = settings.memoryRetentionMs ?? retentionMs;
  const retention = {
    ...(retentionMs !== undefined && { logsMs: retentionMs }),
    ...(memoryMs !== undefined && { memoryMs }),
  };
  const inHand = inHandMemory();
  const { launch: launchThread = launchEngineThread, watchdog = {}, observe } = parts;
  const launch = () => launchThread({ dataFolder, alwaysReplay, limits, auditKeyFile, retention, inHand });
  const first = launch();
  try {
    const { openHost } = await import('./host.ts');
    return await openHost(settings, { first, launch, inHand, watchdog }, observe);
  } catch (error) {
    await first.terminate();
    throw error;
  }
}
