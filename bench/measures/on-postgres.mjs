import { fileURLToPath } from 'node:url';
import { openConnection } from '../client/connection.mjs';
import { rateFor, repeatOver, withConnections } from '../client/in-flight.mjs';
import { createRun } from '../client/requests.mjs';
import { runToEnd } from '../client/run-to-end.mjs';
import { timedInTurns } from '../client/timed.mjs';
import { secondsUsed } from '../host/process-stats.mjs';
import { runScript } from '../host/run-script.mjs';
import { withHost } from '../host/with-host.mjs';
import { withPostgres } from '../postgres/with-postgres.mjs';
import { load } from '../report/machine.mjs';
import { amount, range, spread } from '../report/numbers.mjs';
import { median } from '../report/statistics.mjs';
import { HANDOFF, HANDOFF_WORKFLOWS } from '../workflows/handoff.mjs';
import { EFFECT_LOOP, loopWorkflows } from '../workflows/loop.mjs';
import { APPROVAL_WORKFLOW, NOOP } from '../workflows/single-node.mjs';
import { deliveryP99 } from './delivery.mjs';
import { DELIVERY_RUNS_PER_SECOND, postgresRows } from './postgres-rows.mjs';
import { IN_FLIGHT } from './throughput.mjs';
import { timeLoop } from './time-loop.mjs';

const BARE_INSERTS = fileURLToPath(new URL('../postgres/bare-inserts.mjs', import.meta.url));
const DBOS = fileURLToPath(new URL('../dbos/handoffs.mjs', import.meta.url));

/** A host on Postgres, by turns with one on SQLite, beside what Postgres does alone. */
export async function onPostgres({ sizes, nodeFlags, dbos, progress }) {
  const workflows = [...HANDOFF_WORKFLOWS, ...loopWorkflows(sizes.effectTurns), APPROVAL_WORKFLOW];
  return withPostgres(async (postgres) => {
    const url = await postgres.newDatabase();
    const settings = { BATON_DATABASE_URL: url };
    const measured = await withHost(workflows, {}, (sqlite) =>
      withHost(workflows, { nodeFlags, settings }, async (own) => {
        const ports = { sqlite: sqlite.port, postgres: own.port };
        return {
          ...(await rates({ sqlite, postgres: own }, postgres, sizes, progress)),
          bare: await bareInserts(url, sizes, progress),
          alone: await aloneTimes(ports, sizes, progress),
          effect: await effectTurns(ports, sizes, progress),
          delivered: await deliveries(ports, sizes, progress),
        };
      }),
    );
    return postgresRows(measured, await peer(await postgres.newDatabase(), dbos, sizes, progress), dbos);
  });
}

/** The rates of both hosts, and the processor time that a run took: that of the host and that of Postgres. */
async function rates(hosts, postgres, sizes, progress) {
  const found = {};
  for (const [kind, workflow] of Object.entries({ handoffs: HANDOFF, noops: NOOP })) {
    progress(`${kind}, ${IN_FLIGHT} in flight, on SQLite and on Postgres by turns`);
    found[kind] = await inTurns(hosts, createRun(workflow), postgres, sizes);
    for (const [store, { rates: some, cpu, database }] of Object.entries(found[kind]))
      progress(
        `${kind} on ${store}: ${range(some, '/s')}; processor time of one: host ${amount(median(cpu))} ms, ` +
          `Postgres ${amount(median(database))} ms${load()}`,
      );
  }
  return found;
}

/** Each round is taken from both hosts before the next one, so that a slow minute of the machine counts for both. */
async function inTurns(hosts, create, postgres, { warmUpRuns, seconds, rounds }) {
  const task = (connection) => runToEnd(connection, create);
  const found = {};
  for (let round = 0; round <= rounds; round += 1)
    for (const [store, { port, pid }] of Object.entries(hosts)) {
      const times = () => ({ cpu: secondsUsed(pid), database: postgres.processorSeconds() });
      await withConnections(port, IN_FLIGHT, async (connections) => {
        if (round === 0) return repeatOver(connections, warmUpRuns, task);
        const [before, start] = [times(), performance.now()];
        const rate = await rateFor(connections, seconds, task);
        const [after, runs] = [times(), (rate * (performance.now() - start)) / 1000];
        found[store] ??= { rates: [], cpu: [], database: [] };
        found[store].rates.push(rate);
        for (const name of ['cpu', 'database'])
          found[store][name].push(((after[name] - before[name]) * 1000) / runs);
      });
    }
  return found;
}

async function bareInserts(url, { capturedTrees, rounds }, progress) {
  progress('events as written by the host, inserted by Postgres alone');
  const bare = await runScript(BARE_INSERTS, [url, HANDOFF, capturedTrees * 20, rounds]);
  progress(`bare inserts: ${range(bare.rates, 'rows/s')}${load()}`);
  return bare;
}

async function aloneTimes(ports, { requests }, progress) {
  const stores = Object.keys(ports);
  const connections = await Promise.all(stores.map((store) => openConnection(ports[store])));
  const create = createRun(HANDOFF);
  const times = await timedInTurns(
    connections.map((connection) => () => runToEnd(connection, create)),
    requests,
  );
  for (const connection of connections) connection.close();
  for (const [index, store] of stores.entries())
    progress(`one handoff alone on ${store}: ${spread(times[index], 'ms')}${load()}`);
  return Object.fromEntries(stores.map((store, index) => [store, median(times[index])]));
}

async function effectTurns(ports, sizes, progress) {
  const times = {};
  for (const [store, port] of Object.entries(ports)) {
    const connection = await openConnection(port);
    times[store] = (await timeLoop(connection, createRun(EFFECT_LOOP), sizes.effectTurns)).turnMs;
    connection.close();
    progress(`a turn with one effect on ${store}: ${amount(times[store])} ms${load()}`);
  }
  return times;
}

async function deliveries(ports, { deliverySeconds }, progress) {
  const p99 = {};
  for (const [store, port] of Object.entries(ports)) {
    progress(`events to open streams on ${store}, ${DELIVERY_RUNS_PER_SECOND} handoffs/s${load()}`);
    const runsPerSecond = DELIVERY_RUNS_PER_SECOND;
    p99[store] = await deliveryP99({ port, runsPerSecond, seconds: deliverySeconds, progress });
  }
  return p99;
}

async function peer(url, dbos, { warmUpSeconds, seconds, requests }, progress) {
  if (dbos.missing) return undefined;
  progress('the same with DBOS on the same server, in-process');
  const { rate, times } = await runScript(DBOS, [url, IN_FLIGHT, warmUpSeconds, seconds, requests]);
  progress(`DBOS: ${amount(rate)} handoffs/s, alone ${spread(times, 'ms')}${load()}`);
  return { rate, alone: median(times) };
}
