import { join } from 'node:path';
import {
  freePorts,
  restateFrom,
  startBalancer,
  startOwnRestate,
} from '../../packages/scheduler-restate/dist/server/own-server.js';
import { installRestateWhenNeeded, RESTATE_FROM } from '../../scripts/restate-server.mjs';
import { makeDataFolder, removeDataFolder } from '../host/data-folder.mjs';
import { residentMegabytes, secondsUsed } from '../host/process-stats.mjs';

/** Runs `use` with a Restate server, and the settings of hosts that use it. */
export async function withRestate(use) {
  await installRestateWhenNeeded();
  const program = restateFrom(RESTATE_FROM);
  if (program === undefined) throw new Error('there is no Restate for this platform in tools/restate');
  const folder = makeDataFolder();
  const server = await startOwnRestate({ program, folder: join(folder, 'restate') });
  const free = await Promise.all([freePorts(), freePorts(), freePorts()]);
  const ports = free.map(({ ingress }) => ingress);
  const balancer = await startBalancer(() => ports);
  try {
    return await use({
      settingsOf: (index) => ({
        BATON_RESTATE_URL: server.url,
        BATON_RESTATE_ADMIN: server.adminUrl,
        BATON_RESTATE_ENDPOINT: balancer.url,
        BATON_RESTATE_LISTEN: `127.0.0.1:${ports[index]}`,
      }),
      processorSeconds: () => secondsUsed(server.pid()),
      megabytes: () => residentMegabytes(server.pid()),
    });
  } finally {
    await balancer.stop();
    await server.stop();
    removeDataFolder(folder);
  }
}
