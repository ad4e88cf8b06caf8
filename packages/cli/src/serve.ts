import { resolve } from 'node:path';
import { DEFAULT_SETTINGS, locationIn, startHost } from '@baton/server';
import { storageAt } from '@baton/server/storage';
import { banner } from './banner.ts';
import { developmentKey } from './dev-key.ts';
import { agentIds, requireFolder, workflowIds } from './registered-folders.ts';
import type { Settings } from './settings.ts';
import { stopOnSignal } from './stop-signals.ts';
import type { Terminal } from './terminal.ts';
import { version } from './version.ts';

/** A normal stop takes less time. After this time the stop is considered hung. */
const PATIENCE_MS = 10_000;

/** Runs a host until a signal stops it. */
export async function serve(settings: Settings, colour: boolean, terminal: Terminal): Promise<void> {
  const dataFolder = resolve(settings.dataFolder);
  const { workflowsFolder, agentsFolder } = settings;
  requireFolder(workflowsFolder, 'BATON_WORKFLOWS', 'workflow JSON files');
  requireFolder(agentsFolder, 'BATON_AGENTS', 'agents');
  const storage = storageAt(locationIn({ dataFolder }));
  const apiKey = settings.apiKey ?? (await developmentKey(storage));
  const host = await startHost({ ...DEFAULT_SETTINGS, ...settings, dataFolder, apiKey });
  // Before the banner is printed, because a program that reads the banner may send a signal at once.
  const stop = async () => {
    await storage.removeAddress();
    await host.stop();
  };
  const stopped = stopOnSignal(() => withinPatience(stop()), process, Date.now, terminal.note);
  await storage.leaveAddress(onThisMachine(host.url));
  terminal.print(
    banner(
      {
        version: version(),
        url: host.url,
        dataFolder,
        workflows: workflowIds(workflowsFolder),
        agents: agentIds(agentsFolder),
        heldRuns: host.heldRuns,
        ...(settings.apiKey === undefined && { developmentKey: apiKey }),
      },
      colour,
    ),
  );
  await stopped;
}

/** A host that listens on all addresses of the machine is reached by its loopback address. */
function onThisMachine(url: string): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
}

function withinPatience(stopped: Promise<void>): Promise<void> {
  return new Promise((done, fail) => {
    const give = () => fail(new Error('The host did not stop in time; it recovers at the next start.'));
    const timer = setTimeout(give, PATIENCE_MS);
    stopped.then(done, fail).finally(() => clearTimeout(timer));
  });
}
