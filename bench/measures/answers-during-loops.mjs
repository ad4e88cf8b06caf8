import { openConnection } from '../client/connection.mjs';
import { expectStatus, runIdIn } from '../client/expect.mjs';
import { connectionPool } from '../client/open-loop.mjs';
import { createRun, get, readEvents } from '../client/requests.mjs';
import { LOOP } from '../workflows/loop.mjs';
import { NOOP } from '../workflows/single-node.mjs';
import { timeRequests } from './time-requests.mjs';

/** How long other requests take while loops keep the engine busy. */
export async function answersDuringLoops(port, seconds) {
  const pool = connectionPool(() => openConnection(port));
  const looping = await keepLooping(port);
  try {
    const otherRun = await pool.use((connection) => start(connection, NOOP));
    const kinds = [
      { name: 'GET another run', request: () => get(`/v1/runs/${otherRun}`), status: 200 },
      { name: 'GET the looping run', request: () => get(`/v1/runs/${looping.runId()}`), status: 200 },
      { name: 'POST a run, durably', request: () => createRun(NOOP), status: 201 },
    ];
    return await timeRequests(pool, kinds, seconds);
  } finally {
    await looping.stop();
    pool.close();
  }
}

async function start(connection, workflowId) {
  return runIdIn(expectStatus(await connection.send(createRun(workflowId)), 201));
}

/** Runs one loop after the other, each with a reader on its stream, until it is stopped. */
async function keepLooping(port) {
  const connection = await openConnection(port);
  let runId = await start(connection, LOOP);
  let stopped = false;
  async function followLoops() {
    while (!stopped) {
      await connection.send(readEvents(runId), () => undefined);
      if (!stopped) runId = await start(connection, LOOP);
    }
  }
  const following = followLoops();
  return {
    runId: () => runId,
    async stop() {
      stopped = true;
      await following;
      connection.close();
    },
  };
}
