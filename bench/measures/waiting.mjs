import { setTimeout as sleep } from 'node:timers/promises';
import { openConnection } from '../client/connection.mjs';
import { expectStatus } from '../client/expect.mjs';
import { repeatOver, withConnections } from '../client/in-flight.mjs';
import { createRun, get } from '../client/requests.mjs';
import { makeDataFolder, removeDataFolder } from '../host/data-folder.mjs';
import { startHost } from '../host/host-process.mjs';
import { canReadStats, cpuPercent, residentMegabytes } from '../host/process-stats.mjs';
import { register } from '../host/with-host.mjs';
import { amount } from '../report/numbers.mjs';
import { below } from '../report/targets.mjs';
import { APPROVAL, APPROVAL_WORKFLOW } from '../workflows/single-node.mjs';
import { IN_FLIGHT } from './throughput.mjs';

const SETTLE_MS = 30_000;

/** The cost of many waiting runs for a host that starts again and is then idle. */
export async function waiting({ sizes, nodeFlags, progress }) {
  const { waitingRuns, idleSeconds } = sizes;
  const dataFolder = makeDataFolder();
  try {
    progress(`${amount(waitingRuns)} runs that wait for an approval`);
    await createWaiting(dataFolder, waitingRuns);
    progress('stopped; starting again');
    const { readyMs, memory, cpu } = await restart(dataFolder, nodeFlags, idleSeconds);
    progress(`ready after ${amount(readyMs)} ms`);
    const seconds = readyMs / 1000;
    return [
      {
        what: `${waitingRuns.toLocaleString('en-US')} runs waiting: restart to ready`,
        host: `${amount(seconds)} s`,
        target: below(3, seconds, 's'),
      },
      { what: '  resident memory', host: known(memory, 'MB'), target: below(400, memory, 'MB') },
      { what: '  idle CPU', host: known(cpu, '%'), target: below(1, cpu, '%') },
    ];
  } finally {
    removeDataFolder(dataFolder);
  }
}

function known(value, unit) {
  return value === undefined ? 'not known here' : `${amount(value)} ${unit}`;
}

async function createWaiting(dataFolder, runs) {
  const host = await startHost(dataFolder);
  try {
    await register(host.port, [APPROVAL_WORKFLOW]);
    const create = createRun(APPROVAL);
    await withConnections(host.port, IN_FLIGHT, (connections) =>
      repeatOver(connections, runs, async (connection) => expectStatus(await connection.send(create), 201)),
    );
  } finally {
    await host.stop();
  }
}

async function restart(dataFolder, nodeFlags, idleSeconds) {
  const spawned = performance.now();
  const host = await startHost(dataFolder, nodeFlags);
  try {
    const connection = await openConnection(host.port);
    expectStatus(await connection.send(get('/readyz')), 200);
    const readyMs = performance.now() - spawned;
    connection.close();
    if (!canReadStats()) return { readyMs };
    await sleep(SETTLE_MS);
    const memory = residentMegabytes(host.pid);
    return { readyMs, memory, cpu: await cpuPercent(host.pid, idleSeconds) };
  } finally {
    await host.stop();
  }
}
