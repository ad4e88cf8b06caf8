import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expectStatus } from '../client/expect.mjs';
import { rateFor, withConnections } from '../client/in-flight.mjs';
import { createRun, readLog } from '../client/requests.mjs';
import { runToEnd } from '../client/run-to-end.mjs';
import { runScript } from '../host/run-script.mjs';
import { withHost } from '../host/with-host.mjs';
import { amount, range } from '../report/numbers.mjs';
import { median } from '../report/statistics.mjs';
import { atMost, atMostSlower, noTarget } from '../report/targets.mjs';
import { REMEMBERING, REMEMBERING_WORKFLOWS, SAYING } from '../workflows/memory.mjs';
import { IN_FLIGHT } from './throughput.mjs';

const CHAIN = fileURLToPath(new URL('../limits/chain.mjs', import.meta.url));

/** The cost of a memory write of a worker, and of the hash chain, for one handoff. */
export async function remembering({ sizes, nodeFlags, progress }) {
  progress(`handoffs with and without memory, ${IN_FLIGHT} in flight`);
  return withHost(REMEMBERING_WORKFLOWS, { nodeFlags }, async ({ port, dataFolder }) => {
    const { remembered, said } = await ratesInTurns(port, sizes);
    progress(`with memory: ${range(remembered, 'handoffs/s')}; without: ${range(said, 'handoffs/s')}`);
    const database = join(dataFolder, 'baton.db');
    const chained = await runScript(CHAIN, [database, sizes.capturedTrees, sizes.rounds]);
    progress(
      `the hash chain: ${range(chained.microseconds, 'µs a handoff')}, ${amount(chained.events)} events`,
    );

    const [rate, without] = [median(remembered), median(said)];
    // The engine computes all digests in one thread, so the times of all handoffs in flight add up.
    const percent = ((median(chained.microseconds) * without) / 1e6) * 100;
    return [
      {
        what: `Handoffs that remember, ${IN_FLIGHT} in flight`,
        host: `${amount(rate)} /s`,
        target: atMostSlower(15, rate, without, 'the same without'),
      },
      { what: '  as many facts without memory', host: `${amount(without)} /s`, target: noTarget() },
      {
        what: "  the hash chain's share of one",
        host: `${amount(percent)} %`,
        target: atMost(15, percent, '%'),
      },
    ];
  });
}

/** Rounds of both alternate, because the database grows and the speed of the machine varies. */
function ratesInTurns(port, { warmUpSeconds, seconds, rounds }) {
  return withConnections(port, IN_FLIGHT, async (connections) => {
    const [remember, say] = [REMEMBERING, SAYING].map((workflowId) => createRun(workflowId));
    await expectAsMany(connections[0], remember, say);
    const rateOf = (create, time) => rateFor(connections, time, (connection) => runToEnd(connection, create));
    for (const create of [remember, say]) await rateOf(create, warmUpSeconds);
    const remembered = [];
    const said = [];
    for (let round = 0; round < rounds; round += 1) {
      remembered.push(await rateOf(remember, seconds));
      said.push(await rateOf(say, seconds));
    }
    return { remembered, said };
  });
}

/** The comparison is valid only if both handoffs have the same number of events. */
async function expectAsMany(connection, ...creates) {
  const counts = [];
  for (const create of creates) {
    const runId = await runToEnd(connection, create);
    counts.push(await eventsOf(connection, [runId, `${runId}.1`]));
  }
  if (new Set(counts).size === 1) return;
  throw new Error(`the handoffs have different numbers of events: ${counts.join(' and ')}`);
}

async function eventsOf(connection, runIds) {
  let count = 0;
  for (const runId of runIds) {
    const log = expectStatus(await connection.send(readLog(runId)), 200);
    count += JSON.parse(log.toString()).events.length;
  }
  return count;
}
