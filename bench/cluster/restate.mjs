import { setTimeout as sleep } from 'node:timers/promises';
import { rateFor, repeatOver, withConnections } from '../client/in-flight.mjs';
import { createRun } from '../client/requests.mjs';
import { runToEnd } from '../client/run-to-end.mjs';
import { makeDataFolder, removeDataFolder } from '../host/data-folder.mjs';
import { secondsUsed } from '../host/process-stats.mjs';
import { startSlowModel } from '../models/slow-model.mjs';
import { load } from '../report/machine.mjs';
import { amount } from '../report/numbers.mjs';
import { median } from '../report/statistics.mjs';
import { noTarget } from '../report/targets.mjs';
import { ASKS, ASKS_WORKFLOW } from '../workflows/cluster.mjs';
import { askingHost, takeover } from './takeover.mjs';
import { withHosts } from './with-hosts.mjs';
import { withRestate } from './with-restate.mjs';

const HOSTS = 3;
const IN_FLIGHT = 32;
const IDLE_SECONDS = 10;
/** Restate is told of the hosts when they start, and knows them shortly after. */
const REGISTERED_WITHIN_MS = 3000;
const ALONE = 50;

/** A run with one call of a model that answers at once, and a host that is lost: without Restate and with it. */
export async function restate(context) {
  const without = await cost(context, undefined);
  const withIt = await withRestate((server) => cost(context, server));
  const lost = await takeover(context);
  const lostWithIt = await withRestate((server) => takeover(context, server.settingsOf));
  return [
    ...costRows('without Restate', without),
    ...lost,
    ...costRows('with Restate', withIt),
    ...lostWithIt.map((row) => ({ ...row, target: noTarget() })),
  ];
}

async function cost({ sizes, nodeFlags, progress }, server) {
  const name = server === undefined ? 'without Restate' : 'with Restate';
  const model = await startSlowModel({ leastMs: 0, mostMs: 0 });
  const folder = makeDataFolder();
  const settingsOf = (index) => ({
    ...askingHost(folder, ['a', 'b', 'c'][index], model),
    ...server?.settingsOf(index),
  });
  try {
    return await withHosts(HOSTS, [ASKS_WORKFLOW], { nodeFlags, settingsOf }, async (hosts, postgres) => {
      await sleep(REGISTERED_WITHIN_MS);
      const used = () => ({
        hosts: hosts.reduce((sum, { pid }) => sum + secondsUsed(pid), 0),
        postgres: postgres.processorSeconds(),
        restate: server?.processorSeconds() ?? 0,
      });
      return await withAll(hosts, async (connections) => {
        const task = (connection) => runToEnd(connection, createRun(ASKS, { question: 'now' }));
        await repeatOver(connections, sizes.warmUpRuns / 2, task);
        const idle = await spent(used, () => sleep(IDLE_SECONDS * 1000));
        const alone = await timesAlone(connections[0], task);
        const before = used();
        const start = performance.now();
        const rate = await rateFor(connections, sizes.seconds * sizes.rounds, task);
        const runs = (rate * (performance.now() - start)) / 1000;
        const after = used();
        const each = (part) => ((after[part] - before[part]) * 1000) / runs;
        const found = {
          ...{ rate, alone: median(alone), hosts: each('hosts'), postgres: each('postgres') },
          ...{ restate: each('restate'), idle: (idle.restate / IDLE_SECONDS) * 100 },
          megabytes: server?.megabytes(),
        };
        progress(`a run with one call ${name}: ${described(found)}${load()}`);
        return found;
      });
    });
  } finally {
    model.close();
    removeDataFolder(folder);
  }
}

async function spent(used, wait) {
  const before = used();
  await wait();
  const after = used();
  return Object.fromEntries(Object.entries(after).map(([part, seconds]) => [part, seconds - before[part]]));
}

async function timesAlone(connection, task) {
  const times = [];
  while (times.length < ALONE) {
    const start = performance.now();
    await task(connection);
    times.push(performance.now() - start);
  }
  return times;
}

async function withAll(hosts, use, connections = []) {
  const [host, ...others] = hosts;
  if (host === undefined) return use(connections);
  const share = Math.ceil(IN_FLIGHT / HOSTS);
  return withConnections(host.port, share, (some) => withAll(others, use, [...connections, ...some]));
}

function described({ rate, alone, hosts, postgres, restate: other, idle, megabytes }) {
  const restating =
    megabytes === undefined
      ? ''
      : `, Restate ${amount(other)} ms (idle ${amount(idle)} % of a core, ${amount(megabytes)} MB)`;
  return (
    `${amount(rate)} /s, alone ${amount(alone)} ms; processor time of one: hosts ${amount(hosts)} ms, ` +
    `Postgres ${amount(postgres)} ms${restating}`
  );
}

function costRows(name, { rate, alone, hosts, postgres, restate: other }) {
  const total = hosts + postgres + other;
  return [
    {
      what: `Runs with one call, three hosts ${name}`,
      host: `${amount(rate)} /s`,
      limit: `alone ${amount(alone)} ms`,
      target: noTarget(),
    },
    {
      what: '  processor time of one',
      host: `${amount(total)} ms`,
      limit: `hosts ${amount(hosts)}, Postgres ${amount(postgres)}, Restate ${amount(other)} ms`,
      target: noTarget(),
    },
  ];
}
