import { openConnection } from '../client/connection.mjs';
import { expectStatus, runIdIn } from '../client/expect.mjs';
import { createRun, readEvents } from '../client/requests.mjs';
import { withHost } from '../host/with-host.mjs';
import { withTwin } from '../limits/with-twin.mjs';
import { amount, range } from '../report/numbers.mjs';
import { median } from '../report/statistics.mjs';
import { atLeastShare } from '../report/targets.mjs';
import { NOOP, NOOP_WORKFLOW } from '../workflows/single-node.mjs';
import { IN_FLIGHT, runRates } from './throughput.mjs';

/** A run of one node that does nothing. It measures the cost of HTTP and of the log. */
export async function noop({ sizes, nodeFlags, progress }) {
  const create = createRun(NOOP);
  progress(`no-op runs, ${IN_FLIGHT} in flight`);
  const { rates, stream } = await withHost([NOOP_WORKFLOW], { nodeFlags }, async ({ port }) => ({
    rates: await runRates(port, create, sizes),
    stream: await streamOf(port, create),
  }));
  progress(`this host: ${range(rates, 'runs/s')}`);
  progress('the same requests, answered by Fastify alone');
  const limits = await withTwin(stream, (port) => runRates(port, create, sizes));
  progress(`Fastify twin: ${range(limits, 'runs/s')}`);

  const rate = median(rates);
  const limit = median(limits);
  return [
    {
      what: `No-op runs, ${IN_FLIGHT} in flight`,
      host: `${amount(rate)} /s`,
      limit: `Fastify ${amount(limit)} /s`,
      target: atLeastShare(55, rate, limit, 'Fastify twin'),
    },
  ];
}

async function streamOf(port, create) {
  const connection = await openConnection(port);
  const runId = runIdIn(expectStatus(await connection.send(create), 201));
  const body = expectStatus(await connection.send(readEvents(runId)), 200);
  connection.close();
  return body;
}
