import type { Host, ReplacedParts } from './host.ts';
import { type HostSettings, limitsIn, locationIn } from './settings.ts';
import { LEASE_MS } from './storage/membership.ts';
import { conformanceExtension } from './thread/extension.ts';
import { inHandMemory } from './thread/in-hand.ts';
import { type EngineThread, type LaunchEngineThread, launchEngineThread } from './thread/launch.ts';

/** Parts that tests replace. */
export interface HostParts extends ReplacedParts {
  readonly launch?: LaunchEngineThread;
  readonly watchdog?: EngineThread['watchdog'];
  /** The address of a module that extends the product, in place of the one that `testSeams` asks for. */
  readonly extension?: string | undefined;
}

/** Starts a host: opens the data folder, listens, and continues the runs that have not ended. */
export async function startHost(settings: HostSettings, parts: HostParts = {}): Promise<Host> {
  const { alwaysRefold, auditKeyFile, retentionMs } = settings;
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
    extension = settings.testSeams ? conformanceExtension() : undefined,
    ...replaced
  } = parts;
  const launch = () =>
    launchThread({
      storage: locationIn(settings),
      alwaysRefold,
      limits,
      auditKeyFile,
      retention,
      extension,
      inHand,
      traced: settings.traces !== undefined,
      restate: settings.restate && { ...settings.restate, graceMs: graceMs(settings) },
    });
  const first = launch();
  try {
    const { openHost } = await import('./host.ts');
    return await openHost(settings, { first, launch, inHand, watchdog, extension }, replaced);
  } catch (error) {
    await first.terminate();
    throw error;
  }
}

const SHORTEST_GRACE_MS = 2000;

/** An offer to Restate is not taken up by another way before a host that was lost could be noticed. */
function graceMs({ leaseMs = LEASE_MS }: HostSettings): number {
  return Math.max(leaseMs, SHORTEST_GRACE_MS);
}
