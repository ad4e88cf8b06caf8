import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { API_KEY } from '../client/requests.mjs';
import { makeDataFolder, removeDataFolder } from '../host/data-folder.mjs';
import { startHost } from '../host/host-process.mjs';
import { amount } from '../report/numbers.mjs';
import { median } from '../report/statistics.mjs';
import { below } from '../report/targets.mjs';

const BATON = fileURLToPath(new URL('../../packages/cli/bin/baton.js', import.meta.url));
const TIMES = 15;

/** How long a command takes that only asks a host, and an empty program of Node for comparison. */
export async function commandStart({ progress }) {
  const dataFolder = makeDataFolder();
  const host = await startHost(dataFolder);
  try {
    const env = { PATH: process.env.PATH, BATON_DATA: dataFolder, BATON_API_KEY: API_KEY };
    const command = median(timed([BATON, 'runs', '--json'], env));
    const nothing = median(timed(['-e', '0'], env));
    progress(`baton runs took ${amount(command)} ms, an empty program ${amount(nothing)} ms`);
    return [
      {
        what: 'baton runs: start to end',
        host: `${amount(command)} ms`,
        limit: `${amount(nothing)} ms`,
        target: below(150, command, 'ms'),
      },
    ];
  } finally {
    await host.stop();
    removeDataFolder(dataFolder);
  }
}

function timed(args, env) {
  return Array.from({ length: TIMES }, () => {
    const begun = performance.now();
    const { status, stderr } = spawnSync(process.execPath, args, { env });
    if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`);
    return performance.now() - begun;
  });
}
