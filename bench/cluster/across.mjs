import { setTimeout as sleep } from 'node:timers/promises';
import { openConnection } from '../client/connection.mjs';
import { expectStatus, runIdIn } from '../client/expect.mjs';
import { createRun, get, post } from '../client/requests.mjs';
import { deliveryP99 } from '../measures/delivery.mjs';
import { load } from '../report/machine.mjs';
import { amount, spread } from '../report/numbers.mjs';
import { median, quantile } from '../report/statistics.mjs';
import { below } from '../report/targets.mjs';
import { LONG_LOOP, LONG_LOOP_WORKFLOW } from '../workflows/cluster.mjs';
import { APPROVAL_WORKFLOW, NOOP_WORKFLOW } from '../workflows/single-node.mjs';
import { withHosts } from './with-hosts.mjs';

const PATIENCE_MS = 20_000;
/** So many events of the loop are there before it is cancelled. */
const UNDER_WAY = 200;

/** What one host shows and stops of the runs that another one computes. */
export async function acrossHosts({ sizes, nodeFlags, progress }) {
  const workflows = [NOOP_WORKFLOW, APPROVAL_WORKFLOW, LONG_LOOP_WORKFLOW];
  return withHosts(2, workflows, { nodeFlags }, async ([one, other]) => {
    const stream = { port: other.port, runsPerSecond: 0, seconds: sizes.deliverySeconds, progress };
    progress(`streams on the host that computes the runs${load()}`);
    const here = await deliveryP99(stream);
    progress(`streams on another host${load()}`);
    const p99 = await deliveryP99({ ...stream, watched: one.port });
    const times = [];
    while (times.length < sizes.cancels) times.push(await timeCancel(one.port, other.port));
    progress(`a cancel through another host: ${spread(times, 'ms')}${load()}`);
    const slowest = quantile(times, 0.99);
    return [
      {
        what: 'Event to SSE client of another host, p99',
        host: `${amount(p99)} ms`,
        limit: `on the same host ${amount(here)} ms`,
        target: below(50, p99, 'ms'),
      },
      {
        what: `A loop cancelled through another host, slowest of ${times.length}`,
        host: `${amount(slowest)} ms`,
        limit: `median ${amount(median(times))} ms`,
        target: below(150, slowest, 'ms'),
      },
    ];
  });
}

/** From the request to the other host until the host that computes the loop shows it as cancelled. */
async function timeCancel(port, otherPort) {
  const [own, other] = await Promise.all([openConnection(port), openConnection(otherPort)]);
  const runId = runIdIn(expectStatus(await own.send(createRun(LONG_LOOP)), 201));
  await until(other, runId, ({ lastSequence }) => lastSequence > UNDER_WAY);
  const start = performance.now();
  const { status, body } = await other.send(post(`/v1/runs/${runId}/cancel`, {}));
  if (status >= 300) throw new Error(`the cancel was answered with ${status}: ${body}`);
  await until(own, runId, (run) => run.status === 'cancelled');
  const taken = performance.now() - start;
  own.close();
  other.close();
  return taken;
}

async function until(connection, runId, isReached) {
  const end = performance.now() + PATIENCE_MS;
  while (performance.now() < end) {
    const run = JSON.parse(expectStatus(await connection.send(get(`/v1/runs/${runId}`)), 200).toString());
    if (isReached(run)) return;
    await sleep(2);
  }
  throw new Error(`run ${runId} did not get there within ${PATIENCE_MS / 1000} s`);
}
