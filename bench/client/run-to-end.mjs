import { expectCompleted, expectStatus, runIdIn } from './expect.mjs';
import { readEvents } from './requests.mjs';

/** What a caller does: create a run, then read its stream of events until the last one. */
export async function runToEnd(connection, create) {
  const runId = runIdIn(expectStatus(await connection.send(create), 201));
  expectCompleted(expectStatus(await connection.send(readEvents(runId)), 200));
  return runId;
}
