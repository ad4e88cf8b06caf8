import type { Host } from './host.ts';
import type { HostSettings } from './settings.ts';
import { launchEngineThread } from './thread/launch.ts';

/** Starts a host: opens the data folder, recovers what was under way and listens. */
export async function startHost(settings: HostSettings): Promise<Host> {
  const { dataFolder, alwaysReplay, confidenceFloor, auditKeyFile, retentionMs } = settings;
  const memoryMs = settings.memoryRetentionMs ?? retentionMs;
  const retention = {
    ...(retentionMs !== undefined && { logsMs: retentionMs }),
    ...(memoryMs !== undefined && { memoryMs }),
  };
  const thread = launchEngineThread({ dataFolder, alwaysReplay, confidenceFloor, auditKeyFile, retention });
  try {
    const { openHost } = await import('./host.ts');
    return await openHost(settings, thread);
  } catch (error) {
    await thread.terminate();
    throw error;
  }
}
