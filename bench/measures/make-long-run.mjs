import { setTimeout as sleep } from 'node:timers/promises';
import { expectStatus, runIdIn } from '../client/expect.mjs';
import { createRun, get, post } from '../client/requests.mjs';
import { followToEnd } from '../client/run-to-end.mjs';

const POLL_MS = 20;

/** Runs a long run to its end. Returns its length, and the index at which it waited for the answer. */
export async function makeLongRun(connection, workflowId) {
  const runId = runIdIn(expectStatus(await connection.send(createRun(workflowId)), 201));
  while ((await read(connection, `/v1/runs/${runId}`)).status !== 'waiting-approval') await sleep(POLL_MS);
  const middle = (await read(connection, `/v1/runs/${runId}/state`)).at;
  const { interrupts } = await read(connection, '/v1/interrupts');
  const asker = interrupts.find(({ rootRunId }) => rootRunId === runId);
  const accept = post(`/v1/runs/${asker.runId}/interrupts/gate`, { resumeValue: { action: 'accept' } });
  expectStatus(await connection.send(accept), 200);
  await followToEnd(connection, runId);
  return { runId, middle, length: (await read(connection, `/v1/runs/${runId}/state`)).at };
}

async function read(connection, path) {
  return JSON.parse(expectStatus(await connection.send(get(path)), 200).toString());
}
