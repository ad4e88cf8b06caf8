import { readdirSync } from 'node:fs';
import { rateFor, repeatOver, withConnections } from '../client/in-flight.mjs';
import { createRun } from '../client/requests.mjs';
import { runToEnd } from '../client/run-to-end.mjs';
import { secondsUsed, threadSeconds } from '../host/process-stats.mjs';
import { IN_FLIGHT } from '../measures/throughput.mjs';
import { load } from '../report/machine.mjs';
import { amount } from '../report/numbers.mjs';
import { noTarget } from '../report/targets.mjs';
import { HANDOFF, HANDOFF_WORKFLOWS } from '../workflows/handoff.mjs';
import { projection } from './projection.mjs';
import { withHosts } from './with-hosts.mjs';

const MORE_HOSTS = 3;

/** Handoffs with one and with three hosts, and what each of them costs the hosts and Postgres. */
export async function growth({ sizes, nodeFlags, progress }) {
  const one = await measure(1, sizes, nodeFlags, progress);
  const three = await measure(MORE_HOSTS, sizes, nodeFlags, progress);
  for (const line of projection(one, three)) progress(line);
  return [rateRow(one), ...costRows(one), rateRow(three), ...costRows(three)];
}

/** Each host gets as many requests as a host alone, all from this process. */
async function measure(count, { warmUpRuns, seconds, rounds }, nodeFlags, progress) {
  progress(`handoffs on ${count} host${count > 1 ? 's' : ''}, ${IN_FLIGHT} in flight on each`);
  return withHosts(count, HANDOFF_WORKFLOWS, { nodeFlags }, (hosts, postgres) =>
    withAll(hosts, async (connections) => {
      const create = createRun(HANDOFF);
      const task = (connection) => runToEnd(connection, create);
      await repeatOver(connections, warmUpRuns * count, task);
      const before = await observe(hosts, postgres);
      const start = performance.now();
      const rate = await rateFor(connections, seconds * rounds, task);
      const handoffs = (rate * (performance.now() - start)) / 1000;
      const after = await observe(hosts, postgres);
      const each = Object.fromEntries(
        Object.entries(after.costs).map(([name, value]) => [name, (value - before.costs[name]) / handoffs]),
      );
      // Hosts share the load evenly, so a thread of one of them has a part of all handoffs.
      const busiest = (Math.max(...threadDeltas(before, after)) * count) / handoffs;
      const found = { count, rate, ...each, busiest, connections: (await postgres.connections()) / count };
      progress(`${count}: ${describe(found)}${load()}`);
      return found;
    }),
  );
}

async function withAll(hosts, use, connections = []) {
  const [host, ...others] = hosts;
  if (host === undefined) return use(connections);
  return withConnections(host.port, IN_FLIGHT, (some) => withAll(others, use, [...connections, ...some]));
}

async function observe(hosts, postgres) {
  return {
    costs: {
      host: hosts.reduce((sum, { pid }) => sum + secondsUsed(pid), 0),
      postgres: postgres.processorSeconds(),
      client: process.cpuUsage().user / 1e6 + process.cpuUsage().system / 1e6,
      transactions: await postgres.transactions(),
      logBytes: await postgres.logBytes(),
    },
    threads: new Map(
      hosts.flatMap(({ pid }) =>
        readdirSync(`/proc/${pid}/task`).map((thread) => [thread, threadSeconds(pid, thread).used]),
      ),
    ),
  };
}

function threadDeltas(before, after) {
  return [...after.threads].map(([thread, used]) => used - (before.threads.get(thread) ?? 0));
}

function describe({ rate, host, postgres, client, busiest, transactions, logBytes, connections }) {
  return (
    `${amount(rate)} handoffs/s; processor time of one: hosts ${ms(host)} (busiest thread ${ms(busiest)}), ` +
    `Postgres ${ms(postgres)}, the client ${ms(client)}; ${amount(transactions)} transactions and ` +
    `${amount(logBytes)} bytes of log for each; ${amount(connections)} connections a host`
  );
}

function ms(seconds) {
  return `${amount(seconds * 1000)} ms`;
}

function rateRow({ count, rate }) {
  const hosts = count === 1 ? 'one host' : `${count} hosts`;
  return { what: `Handoffs, ${hosts} on Postgres`, host: `${amount(rate)} /s`, target: noTarget() };
}

function costRows({ host, postgres, logBytes, transactions }) {
  return [
    { what: '  processor time of the hosts for one', host: ms(host), target: noTarget() },
    { what: '  processor time of Postgres for one', host: ms(postgres), target: noTarget() },
    {
      what: '  transactions for one',
      host: amount(transactions),
      limit: `log ${amount(logBytes)} bytes`,
      target: noTarget(),
    },
  ];
}
