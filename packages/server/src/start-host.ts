import type { Worker } from 'node:worker_threads';
import type { Host } from './host.ts';
import { type HostSettings, limitsIn } from './settings.ts';
import { inHandMemory } from './thread/in-hand.ts';
import { type LaunchEngineThread, launchEngineThread } from './thread/launch.ts';
import type { WatchdogOptions } from './thread/watchdog.ts';

/** The engine's thread, and how to start another when it is lost. */
export interface EngineThread {
  readonly first: Worker;
  readonly launch: () => Worker;
  readonly inHand: SharedArrayBuffer;
  readonly watchdog: Watching;
  /** Whether it has what conformance suites need beside the product. */
  readonly conformance: boolean;
}

/** What a test may put in the place of the usual. */
export interface HostParts {
  readonly launch?: LaunchEngineThread;
  readonly watchdog?: Watching;
  /** Has what conformance suites need in the engine, even where their endpoints are closed. */
  readonly conformance?: boolean;
}

type Watching = Pick<WatchdogOptions, 'everyMs'>;

/** Starts a host: opens the data folder, listens, and goes on with what was under way. */
export async function startHost(settings: HostSettings, parts: HostParts = {}): Promise<Host> {
  const { dataFolder, alwaysReplay, auditKeyFile, retentionMs } = settings;
  const limits = limitsIn(settings);
  const memoryMs = settings.memoryRetentionMs ?? retentionMs;
  const retention = {
    ...(retentionMs !== undefined && { logsMs: retentionMs }),
    ...(memoryMs !== undefined && { memoryMs }),
  };
  const inHand = inHandMemory();
  const {
    launch: launchThread = launchEngineThread,
    watchdog = {},
    conformance = settings.testSeams,
  } = parts;
  const launch = () =>
    launchThread({ dataFolder, alwaysReplay, limits, auditKeyFile, retention, conformance, inHand });
  const first = launch();
  try {
    const { openHost } = await import('./host.ts');
    return await openHost(settings, { first, launch, inHand, watchdog, conformance });
  } catch (error) {
    await first.terminate();
    throw error;
  }
}
