import { setTimeout as sleep } from 'node:timers/promises';
import { openConnection } from '../client/connection.mjs';
import { eachEvent } from '../client/event-frames.mjs';
import { expectStatus, runIdIn } from '../client/expect.mjs';
import { atRate, connectionPool } from '../client/open-loop.mjs';
import { createRun, post, readEvents } from '../client/requests.mjs';
import { withHost } from '../host/with-host.mjs';
import { amount } from '../report/numbers.mjs';
import { quantile } from '../report/statistics.mjs';
import { below } from '../report/targets.mjs';
import { HANDOFF, HANDOFF_WORKFLOWS } from '../workflows/handoff.mjs';
import { APPROVAL, APPROVAL_WORKFLOW } from '../workflows/single-node.mjs';

const RUNS_PER_SECOND = 500;
const ANSWERS_PER_SECOND = 50;
/** The load begins before the measured streams and ends after them. */
const MARGIN_SECONDS = 1;

/** How long an event takes to reach an open stream, while other requests keep the host busy. */
export async function delivery({ sizes, nodeFlags, progress }) {
  const { deliverySeconds } = sizes;
  progress(`events to open streams while ${RUNS_PER_SECOND} runs/s are created`);
  const workflows = [...HANDOFF_WORKFLOWS, APPROVAL_WORKFLOW];
  const p99 = await withHost(workflows, { nodeFlags }, ({ port }) =>
    deliveryP99({ port, runsPerSecond: RUNS_PER_SECOND, seconds: deliverySeconds, progress }),
  );
  return [
    {
      what: `Event to SSE client at ${RUNS_PER_SECOND} runs/s, p99`,
      host: `${amount(p99)} ms`,
      target: below(25, p99, 'ms'),
    },
  ];
}

/** Where `watched` is given, the streams are open on the host with this port instead of on the one that works. */
export async function deliveryP99({ port, watched = port, runsPerSecond, seconds, progress }) {
  const pool = connectionPool(() => openConnection(port));
  const streams = await openStreams(watched, pool, ANSWERS_PER_SECOND * seconds);
  const background = keepCreating(pool, runsPerSecond, seconds + 2 * MARGIN_SECONDS);
  await sleep(MARGIN_SECONDS * 1000);
  const answered = await answerAll(pool, streams, seconds);
  await background;
  pool.close();
  for (const { connection } of streams) connection.close();
  const delays = streams.flatMap((stream) => stream.delays);
  const p99 = quantile(delays, 0.99);
  progress(
    `${amount(delays.length)} events: median ${amount(quantile(delays, 0.5))} ms, p99 ${amount(p99)} ms, ` +
      `longest ${amount(Math.max(...delays))} ms; from the request that caused them p99 ` +
      `${amount(quantile(answered, 0.99))} ms`,
  );
  return p99;
}

/** Opens streams on `count` runs that wait for an approval. The streams begin after the existing events. */
async function openStreams(port, pool, count) {
  const streams = [];
  while (streams.length < count) {
    const runId = runIdIn(expectStatus(await pool.use((free) => free.send(createRun(APPROVAL))), 201));
    streams.push(await follow(port, runId));
  }
  return streams;
}

async function follow(port, runId) {
  const connection = await openConnection(port);
  const delays = [];
  let live = false;
  let opened;
  const quiet = new Promise((resolve) => (opened = resolve));
  const ended = connection.send(
    readEvents(runId),
    eachEvent((event) => {
      // Read first. The host uses the same clock for the timestamps of events.
      const now = Date.now();
      if (live) delays.push(now - Date.parse(event.timestamp));
      else if (event.type === 'interrupt.requested' || event.type === 'approval.requested') {
        live = true;
        opened();
      }
    }),
  );
  await quiet;
  return { runId, connection, delays, ended };
}

/** Creates handoffs at a fixed rate. Each handoff is two runs. */
function keepCreating(pool, runsPerSecond, seconds) {
  const create = createRun(HANDOFF);
  return atRate(runsPerSecond, seconds, async () =>
    expectStatus(await pool.use((connection) => connection.send(create)), 201),
  );
}

/** Answers approvals at a fixed rate. Returns how long each event took to reach its stream. */
function answerAll(pool, streams, seconds) {
  return atRate(ANSWERS_PER_SECOND, seconds, async (index) => {
    const { runId, ended } = streams[index];
    const sent = performance.now();
    const accept = post(`/v1/runs/${runId}/interrupts/gate`, { resumeValue: { action: 'accept' } });
    expectStatus(await pool.use((connection) => connection.send(accept)), 200);
    await ended;
    return performance.now() - sent;
  });
}
