import { openConnection } from '../client/connection.mjs';
import { expectStatus } from '../client/expect.mjs';
import { atRate, connectionPool } from '../client/open-loop.mjs';
import { post } from '../client/requests.mjs';
import { makeDataFolder, removeDataFolder } from '../host/data-folder.mjs';
import { startHost } from '../host/host-process.mjs';
import { addTenants } from '../host/tenants.mjs';
import { amount } from '../report/numbers.mjs';
import { quantile } from '../report/statistics.mjs';
import { below, noTarget } from '../report/targets.mjs';
import { ATTACKS } from '../workflows/attacks.mjs';
import { NOOP, NOOP_WORKFLOW } from '../workflows/single-node.mjs';

const REQUESTS_PER_SECOND = 50;
const MOST_MS = 100;

/**
 * How long a no-op run of one tenant takes, from the request to the response, during an attack by another
 * tenant. Each attack has its own host.
 */
export async function fairness({ sizes, nodeFlags, progress }) {
  const alone = await beside(undefined, sizes, nodeFlags);
  progress(`a no-op run with nobody else: ${words(alone)}`);
  const rows = [
    { what: 'A no-op run of a tenant alone, p99', host: `${amount(alone.p99)} ms`, target: noTarget() },
  ];
  for (const attack of ATTACKS) {
    const measured = await beside(attack, sizes, nodeFlags);
    progress(`beside ${attack.name}: ${words(measured)}`);
    rows.push({
      what: `  beside ${attack.name}`,
      host: `${amount(measured.p99)} ms`,
      target: below(MOST_MS, measured.p99, 'ms'),
    });
  }
  return rows;
}

function words({ p50, p99, most, attacked }) {
  const answers = attacked === undefined ? '' : `; the attack was answered ${attacked} times`;
  return `median ${amount(p50)} ms, p99 ${amount(p99)} ms, longest ${amount(most)} ms${answers}`;
}

async function beside(attack, { attackSeconds }, nodeFlags) {
  const dataFolder = makeDataFolder();
  try {
    const [innocent, attacker] = await addTenants(dataFolder, ['innocent', 'attacker']);
    const host = await startHost(dataFolder, nodeFlags);
    try {
      return await measure(host.port, attack, innocent, attacker, attackSeconds);
    } finally {
      // An attacked host may have a long queue, so the benchmark does not wait for it to stop.
      process.kill(host.pid, 'SIGKILL');
    }
  } finally {
    removeDataFolder(dataFolder);
  }
}

async function measure(port, attack, innocent, attacker, seconds) {
  const pool = connectionPool(() => openConnection(port));
  const runOnce = () =>
    pool.use((connection) => connection.send(post('/v1/runs', { workflowId: NOOP }, innocent)));
  expectStatus(
    await pool.use((connection) => connection.send(post('/v1/workflows', NOOP_WORKFLOW, innocent))),
    201,
  );
  for (let n = 0; n < 50; n += 1) expectStatus(await runOnce(), 201);
  const under = attack && (await begin(port, attack, attacker));
  const waits = [];
  await atRate(REQUESTS_PER_SECOND, seconds, async (_, due) => {
    expectStatus(await runOnce(), 201);
    waits.push(performance.now() - due);
  });
  const attacked = under && (await under.end());
  pool.close();
  return { p50: quantile(waits, 0.5), p99: quantile(waits, 0.99), most: Math.max(...waits), attacked };
}

/** Sends the first requests of the attack, then repeats the others until `end`. Refusals are ignored. */
async function begin(port, { first = [], again = [], inFlight = 1 }, key) {
  const opening = await openConnection(port);
  for (const { path, body } of first) await opening.send(post(path, body, key));
  opening.close();
  // Encoded once: encoding megabytes of JSON for each request would delay the measurement in this process.
  const requests = again.map(({ path, body }) => post(path, body, key));
  let stopped = false;
  let answered = 0;
  const connections = [];
  async function repeat() {
    while (!stopped && requests.length > 0) {
      const connection = await openConnection(port);
      connections.push(connection);
      try {
        while (!stopped) {
          for (const request of requests) await connection.send(request);
          answered += 1;
        }
      } catch {
        // The host may close the connection of a client that sends too much.
      }
    }
  }
  const repeating = Array.from({ length: inFlight }, repeat);
  return {
    async end() {
      stopped = true;
      for (const connection of connections) connection.close();
      await Promise.allSettled(repeating);
      return answered;
    },
  };
}
